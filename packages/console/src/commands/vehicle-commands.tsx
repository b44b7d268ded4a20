import type { CommandName, CommandRecord } from '@granary/contract/commands';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../console.ts';
import { Age } from '../parts/age.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAction } from '../parts/forms/use-action.ts';
import { texts } from '../texts/texts.ts';
import './vehicle-commands.css';

type BareCommand = Exclude<CommandName, 'move_to_coordinates' | 'emergency_stop' | 'release_emergency_stop'>;

/** What sets the vehicle in motion, or has it do something, is confirmed; a hold is not. */
const CONFIRMED = ['resume', 'return_to_base', 'scan', 'collect_sample'] as const satisfies BareCommand[];

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly isStopInForce: boolean;
  readonly newest: CommandRecord | null;
}

/** The commands of a vehicle but the emergency stop, and how the newest one stands. */
export function VehicleCommands({ deviceId, name, isStopInForce, newest }: Props) {
  const console = useConsole();
  const { commands, common } = texts.value;
  const asked = useSignal<BareCommand | null>(null);
  const { run, isRunning, failure, forget } = useAction();
  const isLost = console.live.connection.current.value.state === 'lost';
  const mayOperate = useScope('operate');
  const give = async (command: BareCommand): Promise<void> => {
    const isGiven = await run(() =>
      console.client.commands.give(deviceId, { command }, callOptions(console)),
    );
    if (isGiven) asked.value = null;
  };
  const close = (): void => {
    asked.value = null;
    forget();
  };
  const refusedBecause = isStopInForce ? commands.stopInForce : '';
  const button = {
    isDisabled: isLost || isStopInForce,
    title: isLost ? common.notWhileOffline : refusedBecause,
  };
  return (
    <section class="vehicle-commands" aria-label={commands.title}>
      <h3>{commands.title}</h3>
      {mayOperate && (
        <div class="buttons">
          <Button {...button} onPress={() => void give('hold')}>
            {commands.names.hold}
          </Button>
          {CONFIRMED.map((command) => (
            <Button
              key={command}
              {...button}
              onPress={() => {
                forget();
                asked.value = command;
              }}
            >
              {commands.names[command]}
            </Button>
          ))}
        </div>
      )}
      {asked.value === null && <Failure of={failure} />}
      {newest === null ? (
        <p class="muted">{commands.none}</p>
      ) : (
        <p role="status">
          {commands.names[newest.command]}: <span class="free-text">{newest.status_detail}</span>{' '}
          <span class="muted">
            <Age since={newest.ended_at ?? newest.created_at} />
          </span>
        </p>
      )}
      {asked.value !== null && (
        <Dialog title={`${commands.names[asked.value]}: ${name}`} onClose={close}>
          <p>{commands.consequences[asked.value]}</p>
          <Failure of={failure} />
          <div class="dialog-actions">
            <Button onPress={close}>{common.cancel}</Button>
            <Button
              kind="primary"
              isBusy={isRunning}
              isDisabled={isLost}
              onPress={() => void give(asked.value ?? 'hold')}
            >
              {commands.names[asked.value]}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
