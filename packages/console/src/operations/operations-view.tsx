import { COMMAND_STATUSES, MISSION_STATUSES, OPERATION_STATUSES } from '@granary/contract/outline';
import './operations-view.css';
import type { Page } from '@granary/client';
import type { CommandStatus } from '@granary/contract/commands';
import type { FleetCommand, FleetMission, FleetOperation } from '@granary/contract/fleet';
import type { MissionStatus } from '@granary/contract/missions';
import type { ComponentType } from 'preact';
import { useConsole } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { FilterBar, PLACE_FILTERS, PlaceFilters, SelectFilter } from '../kit/filter-bar.tsx';
import { formatQuantity } from '../kit/format.ts';
import { Tabs } from '../kit/tabs.tsx';
import { COMMAND_UNDER_WAY, MISSION_UNDER_WAY, OPERATION_UNDER_WAY } from '../live/site.ts';
import { missionStatus } from '../map/vehicles.ts';
import { locale, texts } from '../texts.ts';
import { JobTable } from './job-table.tsx';
import {
  canDeclareCommand,
  canDeclareMission,
  canDeclareOperation,
  JOB_KINDS,
  type JobKind,
  jobKindOf,
  operationTitle,
} from './jobs.ts';

const MISSIONS_NOT_AS_ASKED: readonly MissionStatus[] = ['aborted', 'failed', 'missed'];

const COMMANDS_NOT_AS_ASKED: readonly CommandStatus[] = ['failed', 'rejected', 'expired', 'timed_out'];

const TABLES: Readonly<Record<JobKind, ComponentType>> = {
  operations: OperationTable,
  missions: MissionTable,
  commands: CommandTable,
};

/** Shows every operation, mission and command, the newest first. */
export function OperationsView() {
  const { id, query } = useConsole().navigation.route.value;
  const { jobs, shifts } = texts.value;
  const kind = jobKindOf(id);
  const List = TABLES[kind];
  const place = Object.fromEntries(PLACE_FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  return (
    <>
      <h1 class="only-for-readers">{jobs.title}</h1>
      <Tabs
        label={jobs.title}
        current={kind}
        tabs={[
          ...JOB_KINDS.map((name) => ({
            name,
            title: jobs.kinds[name],
            address: addressOf('operations', name, place),
          })),
          { name: 'shift', title: shifts.title, address: addressOf('shift', null, place) },
        ]}
      />
      <FilterBar names={['status', 'command', ...PLACE_FILTERS]}>
        <SelectFilter name="status" label={jobs.status} any={jobs.anyStatus} options={statusesOf(kind)} />
        <PlaceFilters />
      </FilterBar>
      <List key={`${kind} ${query.get('command') ?? ''}`} />
    </>
  );
}

function statusesOf(kind: JobKind): readonly (readonly [string, string])[] {
  const { jobs, missions, operations } = texts.value;
  const options = {
    operations: () => OPERATION_STATUSES.map((status) => [status, operations.statuses[status]] as const),
    missions: () => MISSION_STATUSES.map((status) => [status, missions.statuses[status]] as const),
    commands: () => COMMAND_STATUSES.map((status) => [status, jobs.commandStatuses[status]] as const),
  };
  return options[kind]();
}

function CommandTable() {
  const { client, live, navigation } = useConsole();
  const { commands, jobs } = texts.value;
  const asked = navigation.route.value.query;
  const [deviceId, commandId] = [asked.get('device'), asked.get('command')];
  const isOne = deviceId !== null && commandId !== null;
  /** The command that an alert is about. */
  const one = async (
    device_id: string,
    command_id: string,
    options: { readonly signal: AbortSignal },
  ): Promise<Page<FleetCommand>> => {
    const command = await client.commands.get(device_id, command_id, options);
    return { success: true, data: [{ ...command, device_id }], page: { next_cursor: null } };
  };
  return (
    <JobTable
      kind="commands"
      events="command."
      statuses={COMMAND_STATUSES}
      list={(query, options) =>
        isOne ? one(deviceId, commandId, options) : client.fleet.commands(query, options)
      }
      idOf={({ command_id }) => command_id}
      underWay={live.site.commands.all.value}
      words={{
        titleOf: ({ command }) => commands.names[command],
        statusOf: ({ status }) => jobs.commandStatuses[status],
        isUnderWay: ({ status }) => COMMAND_UNDER_WAY.includes(status),
        isUnusual: ({ status }) => COMMANDS_NOT_AS_ASKED.includes(status),
        begin: { title: jobs.columns.given, at: ({ created_at }) => created_at },
        none: commands.none,
      }}
      canDeclare={canDeclareCommand}
      declare={({ device_id, command_id }, given, options) =>
        client.commands.declareEnded(device_id, command_id, given, options)
      }
    />
  );
}

function MissionTable() {
  const { client, live } = useConsole();
  const { jobs, missions } = texts.value;
  const reached = ({ waypoints }: FleetMission): number =>
    waypoints.filter(({ status }) => status === 'reached').length;
  return (
    <JobTable
      kind="missions"
      events="mission."
      statuses={MISSION_STATUSES}
      list={(query, options) => client.fleet.missions(query, options)}
      idOf={({ mission_id }) => mission_id}
      underWay={live.site.missions.all.value}
      words={{
        titleOf: ({ mission_name }) => mission_name,
        statusOf: (mission) => missionStatus(mission, missions),
        isUnderWay: ({ status }) => MISSION_UNDER_WAY.includes(status),
        isUnusual: ({ status }) => MISSIONS_NOT_AS_ASKED.includes(status),
        begin: {
          title: jobs.columns.started,
          at: ({ started_at, scheduled_start }) => started_at ?? scheduled_start,
        },
        none: missions.none,
      }}
      ofKind={{
        name: 'waypoints',
        title: jobs.columns.waypoints,
        kind: 'number',
        cell: (mission) =>
          missions.waypointsReached({ reached: reached(mission), all: mission.waypoints.length }),
      }}
      canDeclare={canDeclareMission}
      declare={({ device_id, mission_id }, given, options) =>
        client.missions.declareEnded(device_id, mission_id, given, options)
      }
    />
  );
}

function OperationTable() {
  const { client, live } = useConsole();
  const { jobs, operations, devices } = texts.value;
  return (
    <JobTable
      kind="operations"
      events="operation."
      statuses={OPERATION_STATUSES}
      list={(query, options) => client.fleet.operations(query, options)}
      idOf={({ operation_id }) => operation_id}
      underWay={live.site.operations.all.value}
      words={{
        titleOf: operationTitle,
        statusOf: ({ status }) => operations.statuses[status],
        isUnderWay: ({ status }) => OPERATION_UNDER_WAY.includes(status),
        isUnusual: ({ status }) => status === 'failed' || status === 'unconfirmed',
        begin: { title: jobs.columns.started, at: ({ started_at }) => started_at },
        isOfDevice: ({ origin }) => origin === 'device',
        none: devices.noOperations,
      }}
      ofKind={{
        name: 'amount',
        title: jobs.columns.amount,
        kind: 'number',
        cell: amountText,
        sortBy: ({ amount_completed }) => amount_completed,
      }}
      canDeclare={canDeclareOperation}
      declare={({ device_id, operation_id }, given, options) =>
        client.operations.declareEnded(device_id, operation_id, given, options)
      }
    />
  );
}

function amountText({ amount_completed, amount_target, unit, device_id }: FleetOperation): string {
  const amount = (value: number): string => formatQuantity(value, unit, locale.value, device_id, 1);
  const moved = amount_completed === null ? '–' : amount(amount_completed);
  return amount_target === null ? moved : texts.value.jobs.amountOf({ moved, target: amount(amount_target) });
}
