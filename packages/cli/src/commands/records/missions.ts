import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import {
  MISSION_STATUSES,
  type Mission,
  type MissionRecord,
  type MissionRequestKind,
  type MissionStatus,
  type PreflightResult,
  WAYPOINT_ACTIONS,
  type Waypoint,
} from '@granary/contract/missions';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import { CommandFailure, EXIT, UsageError } from '../../program/explain.ts';
import { choice, given, readDocument, withAccess, withExamples } from '../../program/options.ts';
import { duration, timestamp } from '../../program/times.ts';
import { type Field, type Output, outputOf } from '../../terminal/output.ts';
import { messageText, statusText } from '../../terminal/sentences.ts';
import type { Column } from '../../terminal/table.ts';
import { DEVICE_COLUMNS, numberText } from '../devices/device-texts.ts';
import { defineDeclareEnded } from '../jobs/declare-ended.ts';
import { untilAnswered, type WaitValues, withWaiting } from '../jobs/waiting.ts';

const waypointsText = ({ waypoints }: MissionRecord): string =>
  `${waypoints.filter(({ reached_at }) => reached_at !== null).length} of ${waypoints.length}`;

const NAME_DEFAULT = 'Mission';
const WAYPOINT = /^(-?[\d.]+),(-?[\d.]+)(?:,(-?[\d.]+))?(?::([a-z_]+)(?:=(\d+))?)?$/;
const COLUMNS: readonly Column<Shown>[] = [
  { title: 'MISSION', text: ({ mission_id }) => mission_id },
  ...DEVICE_COLUMNS,
  { title: 'NAME', text: ({ mission_name }) => mission_name },
  {
    title: 'STATUS',
    text: ({ status, result }) => (result === null ? status : `${status}: ${messageText(result)}`),
  },
  { title: 'WAYPOINTS', text: waypointsText },
  { title: 'START', text: ({ started_at, scheduled_start }) => started_at ?? scheduled_start },
];

interface Values extends AccessValues {
  readonly name?: string;
  readonly start?: string;
  readonly file?: string;
  readonly yes?: boolean;
}

export function defineMissionPreflight(command: Command, environment: Environment): void {
  command.description(
    'Shows what a mission would need, and whether it would be refused now: then the exit code is 3. Nothing is created.',
  );
  withExamples(command, 'granary missions preflight rover-01 48.2001,16.3:scan 48.2,16.3001:wait=60');
  withWaypoints(command).action(async (deviceId: string, waypoints: Waypoint[], values: Values) => {
    const client = accessClient(values, environment.env);
    const mission = await missionOf(waypoints, values, environment);
    const result = await preflightOf(client, deviceId, mission);
    const output = outputOf(environment, values.json);
    output.one(result, () => output.fields(fieldsOf(result)));
    const { refusal } = result;
    if (refusal === null) return;
    throw new CommandFailure(`the mission would be refused now (${refusal.code})`, {
      exitCode: EXIT.refused,
    });
  });
}

export function defineMissionCreate(command: Command, environment: Environment): void {
  command
    .description('Creates a mission: shows what it needs, asks, and creates it once.')
    .option('--name <text>', `its name (${NAME_DEFAULT})`)
    .option('-y, --yes', 'do not ask');
  withExamples(
    command,
    'granary missions create rover-01 48.2001,16.3:scan 48.2,16.3001:wait=60 --name "Soil samples"',
    'granary missions create rover-01 --file mission.yaml --start 2026-11-16T06:00:00Z --yes',
  );
  withWaypoints(command).action(async (deviceId: string, waypoints: Waypoint[], values: Values) => {
    const client = accessClient(values, environment.env);
    const mission = await missionOf(waypoints, values, environment);
    const output = outputOf(environment, values.json);
    output.note(output.fields(fieldsOf(await preflightOf(client, deviceId, mission))));
    await confirm(`May ${deviceId} move?`, values.yes, environment);
    const options = { idempotencyKey: randomUUID(), ...asActor(environment.env) };
    const record = await client.missions.create(deviceId, mission, options);
    const { mission_id, status } = record;
    output.one(record, () => `${mission_id} ${status}: ${statusText(record)}`);
  });
}

const withWaypoints = (command: Command): Command =>
  withAccess(
    command
      .argument('<device_id>')
      .argument(
        '[waypoint...]',
        `latitude,longitude[,altitude][:action]; actions: ${WAYPOINT_ACTIONS.join(', ')}, wait=<seconds>`,
        (text: string, before: Waypoint[] = []) => [...before, waypointOf(text)],
      )
      .option('--file <file>', 'the mission as JSON or YAML, or - for the standard input')
      .option('--start <time>', 'when it begins, ISO 8601 (now)', timestamp),
  );

function waypointOf(text: string): Waypoint {
  const [, lat, lng, altitude, given = 'none', seconds] = WAYPOINT.exec(text) ?? [];
  const action = WAYPOINT_ACTIONS.find((one) => one === given);
  if (lat === undefined || lng === undefined || action === undefined) {
    throw new InvalidArgumentError(
      `It must be latitude,longitude[,altitude][:action], such as 48.2001,16.3:scan, with one of the actions ${WAYPOINT_ACTIONS.join(', ')}.`,
    );
  }
  return {
    lat: Number(lat),
    lng: Number(lng),
    action,
    ...(altitude === undefined ? {} : { altitude: Number(altitude) }),
    ...(seconds === undefined ? {} : { wait_seconds: Number(seconds) }),
  };
}

/** Reads a mission from the file; the service checks its contents. */
async function missionOf(
  waypoints: readonly Waypoint[],
  { name, start, file }: Values,
  environment: Environment,
): Promise<Mission> {
  if ((file === undefined) === (waypoints.length === 0)) {
    throw new UsageError('name waypoints, or a file with the mission', { cure: 'Exactly one of them.' });
  }
  const document = file === undefined ? { waypoints } : await readDocument(file, environment);
  return {
    mission_name: NAME_DEFAULT,
    ...document,
    ...given({ mission_name: name, scheduled_start: start }),
  } as Mission;
}

function preflightOf(
  client: Client,
  deviceId: string,
  { mission_name: _, ...wanted }: Mission,
): Promise<PreflightResult> {
  return client.missions.preflight(deviceId, wanted);
}

function fieldsOf({ preflight, refusal }: PreflightResult): Field[] {
  const needs: Field[] =
    preflight === null
      ? [['needs', 'not known: the device has not reported its position or its battery']]
      : [
          ['way', `${numberText(preflight.distance_m)} m, back ${numberText(preflight.return_distance_m)} m`],
          ['duration', `about ${duration(preflight.duration_s * 1_000)}`],
          [
            'battery',
            `${numberText(preflight.battery_required)} % of ${numberText(preflight.battery_available)} %, reserve ${numberText(preflight.battery_reserve)} %`,
          ],
        ];
  if (refusal === null) return needs;
  const details = refusal.details.map(({ path, message }) => `${path} ${message}`.trim());
  return [...needs, ['refused now', [messageText(refusal), ...details].join('; ')]];
}

interface Filter extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly status?: MissionStatus;
}

interface Values extends AccessValues, WaitValues {
  readonly yes?: boolean;
}

type Shown = MissionRecord & { readonly device_id: string };

export const missions: Define = (command, environment) => {
  defineList(command.enablePositionalOptions(), environment);
  defineShow(command.command('show').summary('show one mission'), environment);
  defineMissionPreflight(command.command('preflight').summary('what a mission would need'), environment);
  defineMissionCreate(command.command('create').summary('create a mission'), environment);
  defineControl(command.command('pause').summary('pause a mission'), environment, 'pause');
  defineControl(
    command.command('resume').summary('go on with a paused mission').option('-y, --yes', 'do not ask'),
    environment,
    'resume',
  );
  defineControl(command.command('cancel').summary('cancel a mission'), environment, 'cancel');
  const declare = command.command('declare-ended').summary('record that somebody has looked, and it is over');
  defineDeclareEnded(declare, 'mission', environment, (client, ...args) =>
    client.missions.declareEnded(...args),
  );
  withExamples(
    command,
    'granary missions --status in_progress',
    'granary missions create rover-01 48.2001,16.3:scan 48.2,16.3001 --name "Soil samples"',
    'granary missions pause rover-01 ms_019a86c5f3c0',
  );
};

function defineList(command: Command, environment: Environment): void {
  command
    .description('Lists the missions of field devices, the newest first; shows, pauses and ends one.')
    .option('--device <id>', 'only those of this device')
    .option('--facility <name>', 'only those of this facility')
    .addOption(choice('--status <status>', 'only those with this status', MISSION_STATUSES));
  withAccess(command).action(async (values: Filter) => {
    const { device, facility, status } = values;
    const query = given({ device_id: device, facility, status });
    const found = await Array.fromAsync(accessClient(values, environment.env).fleet.missionsAll(query));
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such missions.');
  });
}

function defineShow(command: Command, environment: Environment): void {
  command.argument('<device_id>').argument('<mission_id>').description('Shows how a mission stands.');
  withExamples(command, 'granary missions show rover-01 ms_019a86c5f3c0');
  withAccess(command).action(async (deviceId: string, missionId: string, values: AccessValues) => {
    const record = await accessClient(values, environment.env).missions.get(deviceId, missionId);
    const output = outputOf(environment, values.json);
    output.one(record, () => missionText(record, deviceId, output));
  });
}

/** The status that each request leads to, and the words of its command. */
const CONTROLS: Readonly<
  Record<MissionRequestKind, { readonly status: MissionStatus; readonly description: string }>
> = {
  pause: { status: 'paused', description: 'Has the device stop at a mission until it is resumed.' },
  resume: { status: 'in_progress', description: 'Has the device go on with a paused mission.' },
  cancel: { status: 'cancelled', description: 'Ends a mission.' },
};

/** A command that changes one mission, waits for the device, and shows the mission as it is afterwards. */
function defineControl(command: Command, environment: Environment, kind: MissionRequestKind): void {
  const { status, description } = CONTROLS[kind];
  command.argument('<device_id>').argument('<mission_id>').description(description);
  withExamples(command, `granary missions ${kind} rover-01 ms_019a86c5f3c0`);
  withAccess(withWaiting(command, 'until the device has confirmed it')).action(
    async (deviceId: string, missionId: string, values: Values) => {
      const { missions: api } = accessClient(values, environment.env);
      const output = outputOf(environment, values.json);
      if (kind === 'resume') await confirm(`May ${deviceId} move again?`, values.yes, environment);
      const record = await untilAnswered(
        `The ${kind} of ${missionId}`,
        await api[kind](deviceId, missionId, asActor(environment.env)),
        () => api.get(deviceId, missionId),
        ({ requested, ended_at }) => requested === null || ended_at !== null,
        output,
        values,
      );
      output.one(record, () => missionText(record, deviceId, output));
      if (!values.wait || record.status === status) return;
      throw new CommandFailure(`${missionId} is not ${status}: it is ${record.status}`, {
        exitCode: EXIT.failed,
      });
    },
  );
}

const missionText = (record: MissionRecord, deviceId: string, output: Output): string =>
  output.fields([
    ['mission', `${record.mission_id} (${record.mission_name})`],
    ['device', deviceId],
    ['status', `${record.status}: ${statusText(record)}`],
    ['requested', record.requested],
    ['waypoints', `${waypointsText(record)} reached`],
    ['start', record.started_at ?? record.scheduled_start],
    ['end', record.ended_at],
    ['result', record.result && messageText(record.result)],
  ]);
