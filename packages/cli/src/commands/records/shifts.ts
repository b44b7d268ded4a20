import type { Handover, Note } from '@granary/contract/shifts';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor, whoText } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { given, wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { timeOrAge } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { localTime } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 1_000;

const NOTE_COLUMNS: readonly Column<Note>[] = [
  { title: 'NOTE', text: ({ note_id }) => note_id },
  { title: 'ABOUT', text: ({ at }) => at },
  { title: 'ON', text: ({ device_id, facility }) => device_id ?? facility },
  { title: 'WHO', text: ({ created_by }) => whoText(created_by) },
  { title: 'TEXT', text: ({ text }) => text },
];

const HANDOVER_COLUMNS: readonly Column<Handover>[] = [
  { title: 'HANDOVER', text: ({ handover_id }) => handover_id },
  { title: 'SHIFT', text: ({ from, to }) => `${from} – ${to}` },
  { title: 'FACILITY', text: ({ facility }) => facility ?? 'all' },
  { title: 'WHO', text: ({ created_by }) => whoText(created_by) },
  {
    title: 'ACKNOWLEDGED',
    text: ({ acknowledged_at, acknowledged_by }) =>
      acknowledged_at === null ? 'waits' : whoText(acknowledged_by),
    tone: ({ acknowledged_at }) => (acknowledged_at === null ? 'warning' : undefined),
  },
  { title: 'TEXT', text: ({ text }) => text },
];

interface PlaceValues extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
}

interface ListValues extends PlaceValues {
  readonly since?: string;
  readonly limit: number;
}

const withLimit = (command: Command): Command =>
  command.option('--limit <entries>', `at most so many, up to ${LIMIT_MAX}`, wholeNumber, LIMIT_DEFAULT);

/** Writes, lists and removes notes about devices and facilities. */
export const note: Define = (command, environment) => {
  command.description('Lists, writes and removes notes on devices and facilities.');
  const list = withLimit(
    command
      .command('list')
      .summary('list them, the newest first')
      .option('--device <id>', 'only those on this device')
      .option('--facility <name>', 'only those on this facility and its devices')
      .option('--since <time>', 'about the last 12h, 7d, …, or since a date', timeOrAge),
  );
  withExamples(list, 'granary note list --since 24h');
  withAccess(list).action(async ({ device, facility, since, limit, ...values }: ListValues) => {
    const query = given({ device_id: device, facility, from: since });
    const { data, page } = await accessClient(values, environment.env).shifts.notes({ ...query, limit });
    const output = outputOf(environment, values.json);
    output.list(NOTE_COLUMNS, data, 'There are no such notes.');
    if (page.next_cursor !== null) output.more('--limit lists more of them, --since chooses');
  });
  defineAddNote(command.command('add').summary('write one'), environment);
  const remove = command.command('remove').summary('remove one').argument('<note_id>');
  remove.description('Removes a note of the own key, or with the scope admin any.');
  withExamples(remove, 'granary note remove nt_019a86c5f3c07b2a');
  withAccess(remove).action(async (noteId: string, values: AccessValues) => {
    const { env } = environment;
    const removed = await accessClient(values, env).shifts.removeNote(noteId, asActor(env));
    outputOf(environment, values.json).one(removed, () => `${noteId} is removed.`);
  });
  withExamples(command, 'granary note list --since 24h', 'granary note add "noisy auger" --device silo-01');
};

function defineAddNote(command: Command, environment: Environment): void {
  command
    .argument('<text>')
    .description('Writes a note on a device or on a facility.')
    .option('--device <id>', 'the device that it is on')
    .option('--facility <name>', 'the facility that it is on')
    .option('--at <time>', 'the time that it is about: 2h ago as 2h, or a time; now unless given', timeOrAge);
  withExamples(
    command,
    'granary note add "The auger is noisy." --device silo-01 --at 2h',
    'granary note add "The gate stays closed." --facility "Hillside Farm"',
  );
  withAccess(command).action(
    async (text: string, { device, facility, at, ...values }: PlaceValues & { readonly at?: string }) => {
      if ((device === undefined) === (facility === undefined)) {
        throw new UsageError('say --device or --facility', { cure: 'A note is on one of them.' });
      }
      const { env } = environment;
      const wanted = { text, ...given({ device_id: device, facility, at }) };
      const added = await accessClient(values, env).shifts.addNote(wanted, asActor(env));
      outputOf(environment, values.json).one(
        added,
        () => `${added.note_id} is written on ${added.device_id ?? added.facility}.`,
      );
    },
  );
}

interface HandoverListValues extends AccessValues {
  readonly facility?: string;
  readonly waiting?: boolean;
  readonly limit: number;
}

/** Writes, shows and acknowledges handovers between shifts. */
export const handover: Define = (command, environment) => {
  command.description('Lists, writes and acknowledges what one shift tells the next one.');
  const list = withLimit(
    command
      .command('list')
      .summary('list them, the newest first')
      .option('--facility <name>', 'only those of this facility, and of all facilities')
      .option('--waiting', 'only those that nobody has acknowledged'),
  );
  withExamples(list, 'granary handover list --waiting');
  withAccess(list).action(async ({ facility, waiting, limit, ...values }: HandoverListValues) => {
    const query = given({ facility, waiting: waiting === true ? ('true' as const) : undefined });
    const { data, page } = await accessClient(values, environment.env).shifts.handovers({ ...query, limit });
    const output = outputOf(environment, values.json);
    output.list(HANDOVER_COLUMNS, data, 'There are no such handovers.');
    if (page.next_cursor !== null) output.more('--limit lists more of them');
  });
  defineHandOver(command.command('write').summary('tell the next shift'), environment);
  const acknowledge = command.command('acknowledge').summary('the next shift has read it');
  acknowledge.argument('<handover_id>').description('Repeating it changes nothing; the first name stays.');
  withExamples(acknowledge, 'granary handover acknowledge ho_019a86c5f3c07b2a');
  withAccess(acknowledge).action(async (handoverId: string, values: AccessValues) => {
    const { env } = environment;
    const read = await accessClient(values, env).shifts.acknowledgeHandover(handoverId, asActor(env));
    outputOf(environment, values.json).one(
      read,
      () => `${handoverId} was acknowledged by ${whoText(read.acknowledged_by)}.`,
    );
  });
  withExamples(command, 'granary handover list --waiting', 'granary handover write "All is quiet."');
};

interface HandOverValues extends AccessValues {
  readonly facility?: string;
  readonly since?: string;
  readonly tz?: string;
}

function defineHandOver(command: Command, environment: Environment): void {
  command
    .argument('<text>')
    .description('Tells the next shift what it has to know. It waits until somebody acknowledges it.')
    .option('--facility <name>', 'the facility that it is about; all of them unless given')
    .option(
      '--since <time>',
      'when the shift began: 8h, or a time; its usual beginning unless given',
      timeOrAge,
    )
    .option('--tz <zone>', 'by whose clocks shifts begin; the zone that the silos share unless given');
  withExamples(
    command,
    'granary handover write "Silo 7 is low, the truck comes at 15:00." --facility "Hillside Farm"',
  );
  withAccess(command).action(async (text: string, { facility, since, tz, ...values }: HandOverValues) => {
    const { env } = environment;
    const { shifts } = accessClient(values, env);
    const { from, to, time_zone: timeZone } = await shifts.report(given({ facility, from: since, tz }));
    const wanted = { text, from, to, ...given({ facility }) };
    const written = await shifts.handOver(wanted, asActor(env));
    outputOf(environment, values.json).one(
      written,
      () =>
        `${written.handover_id} waits for its acknowledgement (shift since ${localTime(from, timeZone)}, times of ${timeZone}).`,
    );
  });
}
