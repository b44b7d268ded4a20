import {
  MISSION_STATUSES,
  type MissionRecord,
  type MissionStatus,
} from '@granary/contract/missions/missions';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../frame/define.ts';
import { choice, given, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import type { Column } from '../../terminal/table.ts';

interface Values extends AccessValues {
  readonly device?: string;
  readonly facility?: string;
  readonly status?: MissionStatus;
}

type Shown = MissionRecord & { readonly device_id: string };

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'MISSION', text: ({ mission_id }) => mission_id },
  { title: 'DEVICE', text: ({ device_id }) => device_id },
  { title: 'NAME', text: ({ mission_name }) => mission_name },
  {
    title: 'STATUS',
    text: ({ status, result }) => (result === null ? status : `${status}: ${result.message}`),
  },
  {
    title: 'WAYPOINTS',
    text: ({ waypoints }) =>
      `${waypoints.filter(({ reached_at }) => reached_at !== null).length} of ${waypoints.length}`,
  },
  { title: 'START', text: ({ started_at, scheduled_start }) => started_at ?? scheduled_start },
];

export const missions: Define = (command, environment) => {
  command
    .description('Lists the missions of field devices, the newest first.')
    .option('--device <id>', 'only those of this device')
    .option('--facility <name>', 'only those of this facility')
    .addOption(choice('--status <status>', 'only those with this status', MISSION_STATUSES));
  withExamples(command, 'granary missions --status in_progress', 'granary missions --device rover-01 --json');
  withAccess(command).action(async (values: Values) => {
    const { device, facility, status } = values;
    const query = given({ device_id: device, facility, status });
    const found = await Array.fromAsync(accessClient(values, environment.env).fleet.missionsAll(query));
    outputOf(environment, values.json).list(COLUMNS, found, 'There are no such missions.');
  });
};
