import { useConsole } from '../../console.ts';
import { formatDuration } from '../../format/times.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts/texts.ts';
import { lastOutcome } from './outcomes.ts';

/** Below the alarm bar: somebody else had acknowledged the alert already. It goes away by itself. */
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
          alerts.othersFirst(
            site.devices.nameOf(first.device_id),
            first.acknowledged_by ?? '',
            formatDuration(nowMs - Date.parse(first.acknowledged_at ?? first.created_at)),
          )}{' '}
        {others.length > 0 && alerts.moreOthersFirst(others.length)}{' '}
        {outcome.missing > 0 && alerts.missing(outcome.missing)}
      </span>
      <Button
        kind="quiet"
        label={common.close}
        onPress={() => {
          lastOutcome.value = null;
        }}
      >
        ✕
      </Button>
    </p>
  );
}
