import type { FleetAlert } from '@granary/contract/fleet';
import { useEffect } from 'preact/hooks';
import { useConsole, useScope } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { formatDuration } from '../kit/format.ts';
import { failureText } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { texts } from '../texts.ts';
import { lastOutcome, useAcknowledge } from './acknowledge.ts';

interface Props {
  readonly alert: FleetAlert;
  /** True when this button has just taken the place of another one. */
  readonly isNew?: boolean;
}

/** Acknowledges an alert with one press and without a note. */
export function AcknowledgeButton({ alert, isNew = false }: Props) {
  const acknowledge = useAcknowledge();
  const { run, isRunning, failure, forget } = useAction();
  useEffect(forget, [alert.alert_id]);
  if (!useScope('operate')) return null;
  const { common } = texts.value;
  const refused = failure === null ? undefined : failureText(failure);
  return (
    <>
      <Button isBusy={isRunning || isNew} isChange onPress={() => void run(() => acknowledge([alert]))}>
        {common.acknowledge}
      </Button>
      {refused !== undefined && (
        <span class="refusal" role="alert">
          {refused}
        </span>
      )}
    </>
  );
}

/** A line below the alarm bar which says that somebody else had acknowledged the alert already. It disappears by itself. */
export function OutcomeLine() {
  const { site } = useConsole().live;
  const { alerts, common } = texts.value;
  const outcome = lastOutcome.value;
  if (outcome === null) return null;
  const [first, ...others] = outcome.byOthers;
  const nowMs = site.clock.nowMs.peek();
  return (
    <p class="outcome-line" role="status">
      <span class="free-text">
        {first !== undefined &&
          alerts.othersFirst({
            name: site.devices.nameOf(first.device_id),
            person: first.acknowledged_by ?? '',
            age: formatDuration(nowMs - Date.parse(first.acknowledged_at ?? first.created_at)),
          })}{' '}
        {others.length > 0 && alerts.moreOthersFirst({ count: others.length })}{' '}
        {outcome.missing > 0 && alerts.missing({ count: outcome.missing })}
      </span>
      <Button kind="quiet" label={common.close} onPress={() => set(lastOutcome, null)}>
        ✕
      </Button>
    </p>
  );
}
