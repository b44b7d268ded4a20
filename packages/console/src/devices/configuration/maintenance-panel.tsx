import type { FleetDevice } from '@granary/contract/fleet';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../../context/console.ts';
import { Button } from '../../kit/button.tsx';
import { useAction } from '../../kit/form-state.ts';
import { bound, TextInput } from '../../kit/inputs.tsx';
import { Time } from '../../kit/measured.tsx';
import { Failure } from '../../kit/messages.tsx';
import { MomentInput } from '../../kit/moment-input.tsx';
import { nameOf } from '../../operations/jobs.ts';
import { texts } from '../../texts.ts';
import type { DeviceFacts } from '../facts/device-facts.ts';

interface Props {
  readonly device: FleetDevice;
  readonly facts: DeviceFacts;
  readonly reload: () => void;
}

/** Begins and ends maintenance: while it lasts, nothing can be started. */
export function MaintenancePanel({ device: { device_id, group }, facts, reload }: Props) {
  const shared = useConsole();
  const { devices } = texts.value;
  const words = devices.maintenance;
  const reason = useSignal('');
  const until = useSignal('');
  const { run, isRunning, failure } = useAction();
  const mayConfigure = useScope('configure');
  const { maintenance } = facts.detail;
  const send = async (request: { on: boolean; reason?: string; until?: string }): Promise<void> => {
    const isDone = await run(() =>
      shared.client.devices[group].maintenance(device_id, request, callOptions(shared)),
    );
    if (!isDone) return;
    reason.value = '';
    until.value = '';
    reload();
  };
  if (maintenance !== undefined) {
    return (
      <section class="panel device-maintenance" aria-label={words.title}>
        <h2>{words.title}</h2>
        <p>
          <strong class="free-text">{maintenance.reason}</strong> · {words.since}{' '}
          <Time at={maintenance.since} />
          {maintenance.until !== null && (
            <>
              {' '}
              · {devices.until} <Time at={maintenance.until} />
            </>
          )}
          {nameOf(maintenance.by) !== null && <span class="free-text"> · {nameOf(maintenance.by)}</span>}
        </p>
        <Failure of={failure} />
        {mayConfigure && (
          <>
            <p class="muted">{words.endMeans}</p>
            <Button isChange isBusy={isRunning} onPress={() => void send({ on: false })}>
              {words.end}
            </Button>
          </>
        )}
      </section>
    );
  }
  if (!mayConfigure) return null;
  return (
    <form
      class="panel device-maintenance"
      aria-label={words.title}
      onSubmit={(event) => {
        event.preventDefault();
        const end = until.peek() === '' ? {} : { until: new Date(until.peek()).toISOString() };
        void send({ on: true, reason: reason.peek().trim(), ...end });
      }}
    >
      <h2>{words.title}</h2>
      <p class="muted">{words.meaning}</p>
      <TextInput label={words.reason} isRequired {...bound(reason)} />
      <MomentInput label={words.until} hint={words.untilHint} {...bound(until)} />
      <Failure of={failure} />
      <Button type="submit" isChange isBusy={isRunning}>
        {words.begin}
      </Button>
    </form>
  );
}
