import type { DeviceGroup } from '@granary/contract/devices/groups';
import { useConsole } from '../../console.ts';
import { nameOf } from '../../operations/jobs.ts';
import { Time } from '../../parts/age.tsx';
import { Button } from '../../parts/button.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { texts } from '../../texts/texts.ts';
import type { Conflict } from './draft.ts';
import { fieldName } from './field-names.ts';

interface Props {
  readonly deviceId: string;
  readonly group: DeviceGroup;
  readonly conflicts: readonly Conflict[];
  readonly taken: readonly string[];
  readonly onDecide: (conflict: Conflict, text: string) => void;
}

/** What another person has changed while this form was open. */
export function Conflicts({ deviceId, group, conflicts, taken, onDecide }: Props) {
  const { client } = useConsole();
  const { devices } = texts.value;
  const words = devices.configuration;
  const isNeeded = conflicts.length + taken.length > 0;
  const newest = useLoaded(
    async (signal) =>
      isNeeded
        ? (await client.configuration[group].versions(deviceId, { limit: 1 }, { signal })).data[0]
        : undefined,
    [deviceId, isNeeded, conflicts.length, taken.length],
  ).value;
  if (!isNeeded) return null;
  return (
    <section class="panel device-conflicts" role="alert">
      <h2>
        {words.changedBy(nameOf(newest?.actor ?? null) ?? words.somebody)}{' '}
        {newest !== undefined && (
          <span class="muted">
            <Time at={newest.at} />
          </span>
        )}
      </h2>
      {taken.length > 0 && <p>{words.taken(taken.map((path) => fieldName(path, words)).join(', '))}</p>}
      {conflicts.length > 0 && <p>{words.bothChanged}</p>}
      <ul>
        {conflicts.map((conflict) => (
          <li key={conflict.path}>
            <strong>{fieldName(conflict.path, words)}</strong>
            <Button onPress={() => onDecide(conflict, conflict.mine)}>
              <span class="free-text">{words.keepMine(shortened(conflict.mine))}</span>
            </Button>
            <Button onPress={() => onDecide(conflict, conflict.theirs)}>
              <span class="free-text">{words.takeTheirs(shortened(conflict.theirs))}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SHOWN_CHARS_MAX = 80;

const shortened = (text: string): string =>
  text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
