import type { EmergencyStopSummary } from '@granary/contract/devices/devices';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../console.ts';
import { StopButton } from '../operations/stop-button.tsx';
import { Age } from '../parts/age.tsx';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAction } from '../parts/forms/use-action.ts';
import { texts } from '../texts/texts.ts';
import { useEmergencyStop } from './use-emergency-stop.ts';
import './emergency-stop.css';

interface Props {
  readonly deviceId: string;
  readonly name: string;
  /** `undefined` until it is known. */
  readonly state: EmergencyStopSummary | undefined;
}

/** The emergency stop of a vehicle: one press. It stays in force until a person releases it. */
export function EmergencyStop({ deviceId, name, state }: Props) {
  const request = useEmergencyStop(deviceId);
  const { commands, common, missions } = texts.value;
  const mayOperate = useScope('operate');
  const isInForce = state?.active === true;
  return (
    <section class="emergency-stop" aria-label={common.emergencyStop}>
      {mayOperate && (
        <StopButton
          of={deviceId}
          {...request}
          isInForce={isInForce && state.confirmed}
          label={missions.emergencyStopOf(name)}
          text={common.emergencyStop}
        />
      )}
      {isInForce && state.since !== null && (
        <div class="in-force" role="status">
          <p>
            <strong>{state.confirmed ? commands.standsStill : commands.stopUnconfirmed}</strong>{' '}
            <span class="muted">
              <Age since={state.since} />
            </span>
          </p>
          {state.confirmed && <p>{commands.stopInForce}</p>}
          {state.confirmed && mayOperate && <Release deviceId={deviceId} />}
        </div>
      )}
    </section>
  );
}

/** A release is confirmed, because movements are possible again after it. */
function Release({ deviceId }: { readonly deviceId: string }) {
  const console = useConsole();
  const { commands, common } = texts.value;
  const isAsked = useSignal(false);
  const { run, isRunning, failure } = useAction();
  const isLost = console.live.connection.current.value.state === 'lost';
  const release = (): Promise<boolean> =>
    run(() =>
      console.client.commands.give(deviceId, { command: 'release_emergency_stop' }, callOptions(console)),
    );
  if (!isAsked.value) {
    return (
      <Button
        isDisabled={isLost}
        onPress={() => {
          isAsked.value = true;
        }}
      >
        {commands.release}
      </Button>
    );
  }
  return (
    <>
      <p>{commands.releaseMeans}</p>
      <Failure of={failure} />
      <div class="buttons">
        <Button kind="primary" isBusy={isRunning} isDisabled={isLost} onPress={() => void release()}>
          {commands.release}
        </Button>
        <Button
          onPress={() => {
            isAsked.value = false;
          }}
        >
          {common.cancel}
        </Button>
      </div>
    </>
  );
}
