import type { EndDeclaration } from '@granary/contract/declared-end';
import type { FleetMission } from '@granary/contract/fleet/records';
import { MISSION_STATUSES, type MissionStatus } from '@granary/contract/missions/missions';
import { callOptions, useConsole, useScope } from '../console.ts';
import { MISSION_UNDER_WAY } from '../live/jobs.ts';
import { missionStatus } from '../map/missions/mission-status.ts';
import { PageList } from '../parts/lists/page-list.tsx';
import { Table } from '../parts/lists/table.tsx';
import { useEventReload } from '../parts/lists/use-event-reload.ts';
import { usePages } from '../parts/lists/use-pages.ts';
import { texts } from '../texts/texts.ts';
import { type JobWords, jobColumns } from './job-columns.tsx';
import { canDeclareMission, jobQuery } from './jobs.ts';

export function MissionTable() {
  const console = useConsole();
  const { client, live, navigation } = console;
  const isAdmin = useScope('admin');
  const { jobs, missions } = texts.value;
  const query = jobQuery(navigation.route.value, MISSION_STATUSES);
  const pages = usePages(
    (page, signal) => client.fleet.missions({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload(['mission.'], pages.reload);
  const running = live.site.missions.all.value;
  const declaration = {
    isOffered: canDeclareMission,
    declare: async ({ device_id, mission_id }: FleetMission, given: EndDeclaration): Promise<void> => {
      await client.missions.declareEnded(device_id, mission_id, given, callOptions(console));
      pages.reload();
    },
  };
  const waypoints = {
    name: 'waypoints',
    title: jobs.columns.waypoints,
    kind: 'number' as const,
    cell: (mission: FleetMission) =>
      missions.waypointsReached(
        mission.waypoints.filter(({ status }) => status === 'reached').length,
        mission.waypoints.length,
      ),
  };
  return (
    <PageList pages={pages}>
      {(items) => (
        <Table
          label={jobs.kinds.missions}
          columns={jobColumns(missionWords(), [waypoints], isAdmin ? declaration : null)}
          rows={items.map((item) => running.get(item.mission_id) ?? item)}
          idOf={({ mission_id }) => mission_id}
        />
      )}
    </PageList>
  );
}

const NOT_AS_ASKED: readonly MissionStatus[] = ['aborted', 'failed', 'missed'];

function missionWords(): JobWords<FleetMission> {
  const { jobs, missions } = texts.value;
  return {
    titleOf: ({ mission_name }) => mission_name,
    statusOf: (mission) =>
      mission.status === 'aborted' ? missionStatus(mission, missions) : jobs.missionStatuses[mission.status],
    isUnderWay: ({ status }) => MISSION_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => NOT_AS_ASKED.includes(status),
    begin: {
      title: jobs.columns.started,
      at: ({ started_at, scheduled_start }) => started_at ?? scheduled_start,
    },
  };
}
