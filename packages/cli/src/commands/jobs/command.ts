import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import { COMMAND_STATUSES, type CommandRecord, type CommandRequest } from '@granary/contract/commands';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccessValues, accessClient, asActor, whoText } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { choice, given, wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { type Output, outputOf } from '../../terminal/output.ts';
import { messageText, statusText } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import { capitalized, inWords } from '../../terminal/text.ts';
import { defineDeclareEnded } from './declare-ended.ts';
import { untilAnswered, type WaitValues, withWaiting } from './waiting.ts';

const SUCCEEDED: CommandRecord['status'] = 'succeeded';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;
const ENDED = 'until the device has carried it out';
/** The commands without parameters, and whether the device moves after each. */
const SIMPLE = [
  { name: 'hold', summary: 'stay where it is', command: 'hold', moves: false },
  { name: 'resume', summary: 'go on after a hold', command: 'resume', moves: true },
  { name: 'return', summary: 'go back to its base', command: 'return_to_base', moves: true },
  { name: 'scan', summary: 'scan where it is', command: 'scan', moves: true },
  { name: 'sample', summary: 'collect a sample where it is', command: 'collect_sample', moves: true },
] as const;
const COLUMNS: readonly Column<CommandRecord>[] = [
  { title: 'ID', text: ({ command_id }) => command_id },
  { title: 'COMMAND', text: ({ command }) => command },
  {
    title: 'STATUS',
    text: ({ status, result }) => (result === null ? status : `${status}: ${messageText(result)}`),
  },
  { title: 'GIVEN', text: ({ created_at }) => created_at },
  { title: 'WHO', text: ({ requested_by }) => whoText(requested_by) },
];

/** Sends a command once, waits until the device has carried it out, and shows how it ended. */
export async function giveCommand(
  client: Client,
  deviceId: string,
  request: CommandRequest,
  { env }: Environment,
  output: Output,
  values: WaitValues,
): Promise<void> {
  const options = { idempotencyKey: randomUUID(), ...asActor(env) };
  const given = await client.commands.give(deviceId, request, options);
  const record = await untilAnswered(
    `${request.command} of ${deviceId}`,
    given,
    () => client.commands.get(deviceId, given.command_id),
    ({ ended_at }) => ended_at !== null,
    output,
    values,
  );
  const title = capitalized(inWords(record.command));
  const status = inWords(record.status);
  output.one(record, () => `${title} ${status}: ${statusText(record)}`);
  if (!values.wait || record.status === SUCCEEDED) return;
  throw new CommandFailure(
    `${title} did not succeed: it is ${status}${record.result === null ? '' : `, ${messageText(record.result)}`}`,
    { exitCode: EXIT.failed },
  );
}

interface CommandValues extends AccessValues, WaitValues {
  readonly yes?: boolean;
  readonly altitude?: number;
}

export const command: Define = (parent, environment) => {
  parent.description(
    'Gives a command to a rover or a drone, and waits until the device has carried it out. granary stop is the emergency stop.',
  );
  defineMove(parent.command('move').summary('go to a place'), environment);
  for (const { name, summary, command: wanted, moves } of SIMPLE) {
    const one = parent.command(name).summary(summary).argument('<device_id>');
    if (moves) one.option('-y, --yes', 'do not ask');
    withExamples(one, `granary command ${name} rover-01`);
    withAccess(withWaiting(one, ENDED)).action((deviceId: string, values: CommandValues) =>
      give(deviceId, values, environment, moves, async () => ({ command: wanted })),
    );
  }
  defineList(parent.command('list').summary('list the newest commands of a device'), environment);
  const declare = parent.command('declare-ended').summary('record that somebody has looked, and it is over');
  defineDeclareEnded(declare, 'command', environment, ({ commands }, ...args) =>
    commands.declareEnded(...args),
  );
  withExamples(
    parent,
    'granary command move rover-01 48.2001 16.3 --yes',
    'granary command hold rover-01',
    'granary command return rover-01 --yes --no-wait',
  );
};

async function give(
  deviceId: string,
  values: CommandValues,
  environment: Environment,
  moves: boolean,
  requestOf: (client: Client) => Promise<CommandRequest>,
): Promise<void> {
  const client = accessClient(values, environment.env);
  const request = await requestOf(client);
  if (moves) await confirm(`May ${deviceId} move?`, values.yes, environment);
  const output = outputOf(environment, values.json);
  await giveCommand(client, deviceId, request, environment, output, values);
}

function defineMove(one: Command, environment: Environment): void {
  one
    .argument('<device_id>')
    .argument('<latitude>', 'in degrees, south is negative', degrees)
    .argument('<longitude>', 'in degrees, west is negative', degrees)
    .option('--altitude <m>', 'in metres (the present one)', degrees)
    .option('-y, --yes', 'do not ask');
  withExamples(
    one,
    'granary command move rover-01 48.2001 16.3',
    'granary command move drone-01 -- -33.9 18.4',
  );
  withAccess(withWaiting(one, ENDED)).action(
    (deviceId: string, latitude: number, longitude: number, values: CommandValues) =>
      give(deviceId, values, environment, true, async (client) => {
        const altitude = values.altitude ?? (await presentAltitude(client, deviceId));
        return { command: 'move_to_coordinates', parameters: { latitude, longitude, altitude } };
      }),
  );
}

function degrees(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number with a decimal point, such as 48.2001.');
}

async function presentAltitude(client: Client, deviceId: string): Promise<number> {
  const { coordinates } = await client.fieldReadings.location(deviceId);
  if (coordinates.altitude !== null) return coordinates.altitude;
  throw new CommandFailure(`${deviceId} has not reported its altitude`, {
    exitCode: EXIT.failed,
    cure: 'Name one with --altitude, in metres.',
  });
}

interface ListValues extends AccessValues {
  readonly status?: CommandRecord['status'];
  readonly limit: number;
}

function defineList(one: Command, environment: Environment): void {
  one
    .argument('<device_id>')
    .addOption(choice('--status <status>', 'only those with this status', COMMAND_STATUSES))
    .option('--limit <entries>', `at most so many, up to ${LIMIT_MAX}`, wholeNumber, LIMIT_DEFAULT);
  withExamples(one, 'granary command list rover-01 --status failed');
  withAccess(one).action(async (deviceId: string, values: ListValues) => {
    const { commands } = accessClient(values, environment.env);
    const { limit } = values;
    const { data, page } = await commands.list(deviceId, given({ status: values.status, limit }));
    const output = outputOf(environment, values.json);
    output.list(COLUMNS, data, 'There are no such commands.');
    if (page.next_cursor !== null) output.more('--limit lists more of them');
  });
}

type ReleaseValues = AccessValues & WaitValues & { readonly yes?: boolean };

export const release: Define = (command, environment) => {
  command
    .argument('<device_id>')
    .description('Releases the emergency stop of a field device. It may move again at the next command.')
    .option('-y, --yes', 'do not ask');
  withExamples(command, 'granary release rover-01', 'granary release rover-01 --yes --no-wait');
  withAccess(withWaiting(command, 'until the device has confirmed it')).action(
    async (deviceId: string, values: ReleaseValues) => {
      await confirm(`Has somebody looked at ${deviceId}, and may it move again?`, values.yes, environment);
      const client = accessClient(values, environment.env);
      const output = outputOf(environment, values.json);
      const request = { command: 'release_emergency_stop' } as const;
      await giveCommand(client, deviceId, request, environment, output, values);
    },
  );
};
