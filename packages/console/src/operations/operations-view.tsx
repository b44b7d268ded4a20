import './operations-view.css';
import { COMMAND_STATUSES, type CommandStatus } from '@granary/contract/commands';
import type { EndDeclaration } from '@granary/contract/declared-end';
import type { FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet/records';
import { MISSION_STATUSES, type MissionStatus } from '@granary/contract/missions/missions';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import type { ComponentType } from 'preact';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { FilterBar, PLACE_FILTERS, PlaceFilters, SelectFilter } from '../kit/filter-bar.tsx';
import { formatNumber } from '../kit/format.ts';
import { PageList, Table } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { useEventReload, usePages } from '../kit/use-loaded.ts';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from '../live/site.ts';
import { missionStatus } from '../map/missions.ts';
import { locale, texts } from '../texts/texts.ts';
import { type JobWords, jobColumns } from './job-columns.tsx';
import {
  canDeclareCommand,
  canDeclareMission,
  canDeclareOperation,
  JOB_KINDS,
  type JobKind,
  jobKindOf,
  jobQuery,
  operationTitle,
} from './jobs.ts';

const MISSIONS_NOT_AS_ASKED: readonly MissionStatus[] = ['aborted', 'failed', 'missed'];

const COMMANDS_NOT_AS_ASKED: readonly CommandStatus[] = ['failed', 'rejected', 'expired', 'timed_out'];

const TABLES: Readonly<Record<JobKind, ComponentType>> = {
  operations: OperationTable,
  missions: MissionTable,
  commands: CommandTable,
};

/** Everything that devices were asked to do, newest first. */
export function OperationsView() {
  const { id, query } = useConsole().navigation.route.value;
  const { jobs } = texts.value;
  const kind = jobKindOf(id);
  const List = TABLES[kind];
  const place = Object.fromEntries(PLACE_FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  return (
    <>
      <h1 class="only-for-readers">{jobs.title}</h1>
      <Tabs
        label={jobs.title}
        current={kind}
        tabs={JOB_KINDS.map((name) => ({
          name,
          title: jobs.kinds[name],
          address: addressOf('operations', name, place),
        }))}
      />
      <FilterBar names={['status', ...PLACE_FILTERS]}>
        <SelectFilter name="status" label={jobs.status} any={jobs.anyStatus} options={statusesOf(kind)} />
        <PlaceFilters />
      </FilterBar>
      <List key={kind} />
    </>
  );
}

function statusesOf(kind: JobKind): readonly (readonly [string, string])[] {
  const { jobs, operations } = texts.value;
  const options = {
    operations: () => OPERATION_STATUSES.map((status) => [status, operations.statuses[status]] as const),
    missions: () => MISSION_STATUSES.map((status) => [status, jobs.missionStatuses[status]] as const),
    commands: () => COMMAND_STATUSES.map((status) => [status, jobs.commandStatuses[status]] as const),
  };
  return options[kind]();
}

function CommandTable() {
  const console = useConsole();
  const { client, live, navigation } = console;
  const isAdmin = useScope('admin');
  const { jobs } = texts.value;
  const query = jobQuery(navigation.route.value, COMMAND_STATUSES);
  const pages = usePages(
    (page, signal) => client.fleet.commands({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload(['command.'], pages.reload);
  const running = live.site.commands.all.value;
  const declaration = {
    isOffered: canDeclareCommand,
    declare: async ({ device_id, command_id }: FleetCommand, given: EndDeclaration): Promise<void> => {
      await client.commands.declareEnded(device_id, command_id, given, callOptions(console));
      pages.reload();
    },
  };
  return (
    <PageList pages={pages}>
      {(items) => (
        <Table
          label={jobs.kinds.commands}
          columns={jobColumns(commandWords(), [], isAdmin ? declaration : null)}
          rows={items.map((item) => running.get(item.command_id) ?? item)}
          idOf={({ command_id }) => command_id}
        />
      )}
    </PageList>
  );
}

function commandWords(): JobWords<FleetCommand> {
  const { commands, jobs } = texts.value;
  return {
    titleOf: ({ command }) => commands.names[command],
    statusOf: ({ status }) => jobs.commandStatuses[status],
    isUnderWay: ({ status }) => COMMAND_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => COMMANDS_NOT_AS_ASKED.includes(status),
    begin: { title: jobs.columns.given, at: ({ created_at }) => created_at },
  };
}

function MissionTable() {
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

function missionWords(): JobWords<FleetMission> {
  const { jobs, missions } = texts.value;
  return {
    titleOf: ({ mission_name }) => mission_name,
    statusOf: (mission) =>
      mission.status === 'aborted' ? missionStatus(mission, missions) : jobs.missionStatuses[mission.status],
    isUnderWay: ({ status }) => MISSION_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => MISSIONS_NOT_AS_ASKED.includes(status),
    begin: {
      title: jobs.columns.started,
      at: ({ started_at, scheduled_start }) => started_at ?? scheduled_start,
    },
  };
}

function OperationTable() {
  const console = useConsole();
  const { client, live, navigation } = console;
  const isAdmin = useScope('admin');
  const { jobs } = texts.value;
  const query = jobQuery(navigation.route.value, OPERATION_STATUSES);
  const pages = usePages(
    (page, signal) => client.fleet.operations({ ...query, ...page }, { signal }),
    [query.status, query.facility, query.device_id],
  );
  useEventReload(['operation.'], pages.reload);
  const running = live.site.operations.all.value;
  const declaration = {
    isOffered: canDeclareOperation,
    declare: async ({ device_id, operation_id }: FleetOperation, given: EndDeclaration): Promise<void> => {
      await client.operations.declareEnded(device_id, operation_id, given, callOptions(console));
      pages.reload();
    },
  };
  const amount = {
    name: 'amount',
    title: jobs.columns.amount,
    kind: 'number' as const,
    cell: amountText,
    sortBy: ({ amount_completed }: FleetOperation) => amount_completed,
  };
  return (
    <PageList pages={pages}>
      {(items) => (
        <Table
          label={jobs.kinds.operations}
          columns={jobColumns(operationWords(), [amount], isAdmin ? declaration : null)}
          rows={items.map((item) => running.get(item.operation_id) ?? item)}
          idOf={({ operation_id }) => operation_id}
        />
      )}
    </PageList>
  );
}

function operationWords(): JobWords<FleetOperation> {
  const { jobs, operations } = texts.value;
  return {
    titleOf: (operation) => operationTitle(operation, operations, locale.value),
    statusOf: ({ status }) => operations.statuses[status],
    isUnderWay: ({ status }) => OPERATION_UNDER_WAY.includes(status),
    isUnusual: ({ status }) => status === 'failed' || status === 'unconfirmed',
    begin: { title: jobs.columns.started, at: ({ started_at }) => started_at },
    isOfDevice: ({ origin }) => origin === 'device',
  };
}

function amountText({ amount_completed, amount_target, unit }: FleetOperation): string {
  const number = (value: number) => formatNumber(value, value % 1 === 0 ? 0 : 1, locale.value);
  const moved = amount_completed === null ? '–' : number(amount_completed);
  return amount_target === null
    ? `${moved} ${unit}`
    : texts.value.jobs.amountOf(moved, `${number(amount_target)} ${unit}`);
}
