import './vehicle-commands.css';
import type { CommandName, CommandRecord } from '@granary/contract/commands';
import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import { useSignal } from '@preact/signals';
import { confirmed } from '../context/confirmed.ts';
import { useConsole, useScope, whyNotOperate } from '../context/console.ts';
import { Button } from '../kit/button.tsx';
import { FormDialog } from '../kit/dialog.tsx';
import { useAction } from '../kit/form-state.ts';
import { Age } from '../kit/measured.tsx';
import { Failure } from '../kit/messages.tsx';
import { statusText } from '../kit/sentences.ts';
import { set } from '../kit/set.ts';
import { type Loaded, useLoadedOfDevice } from '../kit/use-loaded.ts';
import { texts } from '../texts.ts';

type BareCommand = Exclude<CommandName, 'move_to_coordinates' | 'emergency_stop' | 'release_emergency_stop'>;

/** The commands that move the vehicle, or make it do something, need a confirmation; a hold does not. */
const CONFIRMED = ['resume', 'return_to_base', 'scan', 'collect_sample'] as const satisfies BareCommand[];

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly isStopInForce: boolean;
  readonly newest: CommandRecord | null;
}

/** Shows the commands of a vehicle except the emergency stop, and the state of the newest one. */
export function VehicleCommands({ deviceId, name, isStopInForce, newest }: Props) {
  const console = useConsole();
  const { commands } = texts.value;
  const asked = useSignal<BareCommand | null>(null);
  const { run, failure, forget } = useAction();
  const mayOperate = useScope('operate');
  const give = (command: BareCommand): Promise<CommandRecord> => {
    const what = {
      title: commands.names[command],
      plan: <p>{commands.consequences[command]}</p>,
      device_id: deviceId,
      body: { command },
    };
    return confirmed(console, { ...what, action: 'commands.give' }, (options) =>
      console.client.commands.give(deviceId, { command }, options),
    );
  };
  const button = {
    isChange: true,
    isDisabled: isStopInForce,
    title: isStopInForce ? commands.stopInForce : '',
  };
  const command = asked.value;
  return (
    <section class="vehicle-commands" aria-label={commands.title}>
      <h3>{commands.title}</h3>
      {!mayOperate && <p class="muted">{whyNotOperate(console.session)}</p>}
      {mayOperate && (
        <div class="buttons">
          <Button {...button} onPress={() => void run(() => give('hold'))}>
            {commands.names.hold}
          </Button>
          {CONFIRMED.map((offered) => (
            <Button
              key={offered}
              {...button}
              onPress={() => {
                forget();
                asked.value = offered;
              }}
            >
              {commands.names[offered]}
            </Button>
          ))}
        </div>
      )}
      <Failure of={failure} />
      {newest === null ? (
        <p class="muted">{commands.none}</p>
      ) : (
        <p role="status">
          {commands.names[newest.command]}: <span class="free-text">{statusText(newest)}</span>{' '}
          <span class="muted">
            <Age since={newest.ended_at ?? newest.created_at} />
          </span>
        </p>
      )}
      {command !== null && (
        <FormDialog
          title={`${commands.names[command]}: ${name}`}
          submit={commands.names[command]}
          onSubmit={() => give(command)}
          onClose={() => set(asked, null)}
        >
          <p>{commands.consequences[command]}</p>
        </FormDialog>
      )}
    </section>
  );
}

export interface VehicleState {
  readonly detail: FieldDetail;
  readonly newestCommand: CommandRecord | null;
}

/** Whether an emergency stop is in force, confirmed or not: the vehicle then takes no other command. */
export const isEmergencyStopped = (detail: SiloDetail | FieldDetail): boolean =>
  'emergency_stop' in detail && detail.emergency_stop?.active === true;

/** Whether an emergency stop is in force, and the state of the newest command; both are read again when a command changes. */
export function useVehicleState(deviceId: string): Loaded<VehicleState> {
  const { client } = useConsole();
  return useLoadedOfDevice(deviceId, /^command\.status_changed$/, async (signal) => {
    const [detail, commands] = await Promise.all([
      client.devices.field.get(deviceId, { signal }),
      client.commands.list(deviceId, { limit: 1 }, { signal }),
    ]);
    return { detail, newestCommand: commands.data[0] ?? null };
  });
}
