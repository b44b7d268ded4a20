import './emergency-stop.css';
import type { EmergencyStopSummary } from '@granary/contract/devices/devices';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { confirmed } from '../context/confirmed.ts';
import { type Console, callOptions, useConsole, useScope } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { useAction } from '../kit/form-state.ts';
import { Age } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { set } from '../kit/set.ts';
import { useHeight } from '../kit/use-height.ts';
import { StopButton } from '../operations/stop-button.tsx';
import { texts } from '../texts.ts';

interface Props {
  readonly deviceId: string;
  readonly name: string;
  /** `undefined` until the state is known. */
  readonly state: EmergencyStopSummary | undefined;
}

/** The button for the emergency stop of a vehicle, with one press, and its release. The stop stays in force until a person releases it. */
export function EmergencyStop({ deviceId, name, state }: Props) {
  const request = useEmergencyStop(deviceId);
  const { commands, common, missions } = texts.value;
  const mayStop = useScope('stop');
  const mayOperate = useScope('operate');
  const isInForce = state?.active === true;
  const place = useRef<HTMLDivElement>(null);
  useHeight(place, '--emergency-stop-height', mayStop);
  return (
    <section class="emergency-stop" aria-label={common.emergencyStop}>
      {mayStop && (
        <div ref={place} class="emergency-stop-place">
          <StopButton
            of={deviceId}
            {...request}
            isInForce={isInForce && state.confirmed}
            label={missions.emergencyStopOf({ name })}
            text={common.emergencyStop}
          />
        </div>
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

const RELEASE = { action: 'commands.give', body: { command: 'release_emergency_stop' } } as const;

/** Releases an emergency stop after a confirmation, because movements are possible again after it. */
function Release({ deviceId }: { readonly deviceId: string }) {
  const console = useConsole();
  const { commands, common } = texts.value;
  const isAsked = useSignal(false);
  const { run, isRunning, failure } = useAction();
  const release = (): Promise<boolean> =>
    run(() =>
      confirmed(
        console,
        { ...RELEASE, title: commands.release, plan: <p>{commands.releaseMeans}</p>, device_id: deviceId },
        (options) => console.client.commands.give(deviceId, RELEASE.body, options),
      ),
    );
  if (!isAsked.value) {
    return (
      <Button isChange onPress={() => set(isAsked, true)}>
        {commands.release}
      </Button>
    );
  }
  return (
    <>
      <p>{commands.releaseMeans}</p>
      <Failure of={failure} />
      <div class="buttons">
        <Button kind="primary" isBusy={isRunning} isChange onPress={() => void release()}>
          {commands.release}
        </Button>
        <Button onPress={() => set(isAsked, false)}>{common.cancel}</Button>
      </div>
    </>
  );
}

interface EmergencyStopRequest {
  /** Sends the emergency stop; it may be sent any number of times. */
  readonly stop: () => Promise<void>;
  /** True while the service repeats the stop, until the device has confirmed. */
  readonly isRequested: boolean;
  readonly isConfirmed: boolean;
}

/** Sends the emergency stop of a vehicle; it may be sent any number of times. */
export function giveEmergencyStop(
  console: Pick<Console, 'client' | 'live' | 'preferences' | 'session'>,
  deviceId: string,
): Promise<void> {
  const answer = console.client.commands.give(deviceId, { command: 'emergency_stop' }, callOptions(console));
  return console.live.site.commands.putAnswer(answer.then((record) => [{ device_id: deviceId, ...record }]));
}

/** The emergency stop of a vehicle, for every button that sends it. */
export function useEmergencyStop(deviceId: string): EmergencyStopRequest {
  const console = useConsole();
  const isRequested = [...console.live.site.commands.all.value.values()].some(
    ({ device_id, command }) => device_id === deviceId && command === 'emergency_stop',
  );
  return { stop: () => giveEmergencyStop(console, deviceId), isRequested, isConfirmed: !isRequested };
}
