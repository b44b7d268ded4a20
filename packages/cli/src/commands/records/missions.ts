import type { Client } from '@granary/client';
import {
  MISSION_STATUSES,
  type MissionRecord,
  type MissionStatus,
} from '@granary/contract/missions/missions';
import type { Command } from 'commander';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/define.ts';
import type { Environment } from '../../frame/environment.ts';
import { choice, given, withAccess, withExamples } from '../../frame/options.ts';
import { type Output, outputOf } from '../../frame/output.ts';
import type { Column } from '../../terminal/table.ts';

interface Filter extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly status?: MissionStatus;
}

interface Values extends AccessValues {
  readonly yes?: boolean;
}

type Shown = MissionRecord & { readonly device_id: string };

const waypointsText = ({ waypoints }: MissionRecord): string =>
  `${waypoints.filter(({ reached_at }) => reached_at !== null).length} of ${waypoints.length}`;

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'MISSION', text: ({ mission_id }) => mission_id },
  { title: 'DEVICE', text: ({ device_id }) => device_id },
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
  defineOne(command.command('show').summary('show one mission'), environment, (client, device, id) =>
    client.missions.get(device, id),
  );
  for (const kind of ['pause', 'cancel'] as const) {
    defineOne(command.command(kind).summary(`${kind} a mission`), environment, (client, device, id) =>
      client.missions[kind](device, id, asActor(environment.env)),
    );
  }
  const resume = command.command('resume').summary('go on with a paused mission');
  defineOne(resume.option('-y, --yes', 'do not ask'), environment, async (client, device, id, { yes }) => {
    await confirm(`May ${device} move again?`, yes, environment);
    return client.missions.resume(device, id, asActor(environment.env));
  });
  withExamples(
    command,
    'granary missions --status in_progress',
    'granary missions --device rover-01 --json',
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

type Act = (client: Client, deviceId: string, missionId: string, values: Values) => Promise<MissionRecord>;

/** A command about one mission, which shows it as it is afterwards. */
function defineOne(command: Command, environment: Environment, act: Act): void {
  command.argument('<device_id>').argument('<mission_id>');
  withAccess(command).action(async (deviceId: string, missionId: string, values: Values) => {
    const record = await act(accessClient(values, environment.env), deviceId, missionId, values);
    const output = outputOf(environment, values.json);
    output.one(record, () => missionText(record, deviceId, output));
  });
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
