import { COMMAND_STATUSES } from '@granary/contract/commands';
import { MISSION_STATUSES } from '@granary/contract/missions/missions';
import { OPERATION_STATUSES } from '@granary/contract/operations';
import type { ComponentType } from 'preact';
import { useConsole } from '../console.ts';
import { FilterBar, SelectFilter } from '../parts/lists/filter-bar.tsx';
import { PLACE_FILTERS, PlaceFilters } from '../parts/lists/place-filters.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { addressOf } from '../routes.ts';
import { texts } from '../texts/texts.ts';
import { CommandTable } from './command-table.tsx';
import { JOB_KINDS, type JobKind, jobKindOf } from './jobs.ts';
import { MissionTable } from './mission-table.tsx';
import { OperationTable } from './operation-table.tsx';
import './operations-view.css';

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
