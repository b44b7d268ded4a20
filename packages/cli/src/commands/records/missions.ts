import {
  MISSION_STATUSES,
  type MissionRecord,
  type MissionRequestKind,
  type MissionStatus,
} from '@granary/contract/missions';
import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define, Environment } from '../../frame/environment.ts';
import { CommandFailure, EXIT } from '../../frame/failures.ts';
import { choice, given, withAccess, withExamples } from '../../frame/options.ts';
import { type Output, outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';
import { DEVICE_COLUMNS } from '../devices/device-texts.ts';
import { defineDeclareEnded } from '../jobs/declare-ended.ts';
import { defineMissionCreate, defineMissionPreflight } from '../jobs/mission-create.ts';
import { untilAnswered, type WaitValues, withWaiting } from '../jobs/waiting.ts';

interface Filter extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly status?: MissionStatus;
}

interface Values extends AccessValues, WaitValues {
  readonly yes?: boolean;
}

type Shown = MissionRecord & { readonly device_id: string };

const waypointsText = ({ waypoints }: MissionRecord): string =>
  `${waypoints.filter(({ reached_at }) => reached_at !== null).length} of ${waypoints.length}`;

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'MISSION', text: ({ mission_id }) => mission_id },
  ...DEVICE_COLUMNS,
  { title: 'NAME', text: ({ mission_name }) => mission_name },
  {
    title: 'STATUS',
    text: ({ status, result }) => (result === null ? status : `${status}: ${result.message}`),
  },
  { title: 'WAYPOINTS', text: waypointsText },
  { title: 'START', text: ({ started_at, scheduled_start }) => started_at ?? scheduled_start },
];

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

/** What a request makes of a mission, and what the command says it does. */
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
    ['status', `${record.status}: ${record.status_detail}`],
    ['requested', record.requested],
    ['waypoints', `${waypointsText(record)} reached`],
    ['start', record.started_at ?? record.scheduled_start],
    ['end', record.ended_at],
    ['result', record.result?.message],
  ]);
