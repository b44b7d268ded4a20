import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { useComputed } from '@preact/signals';
import { useConsole } from '../console.ts';
import { FilterBar, SelectFilter } from '../parts/lists/filter-bar.tsx';
import { texts } from '../texts/texts.ts';

const NAMES = ['q', 'status', 'profile', 'facility'];

/** Which devices are shown and how they are arranged; all of it is in the address. */
export function OverviewFilters() {
  const { devices } = useConsole().live.site;
  const { overview, common, table } = texts.value;
  const facilities = useComputed(() => {
    const names = [...devices.all.value.values()].map((device) => device.value.location.facility);
    return JSON.stringify([...new Set(names)].sort());
  });
  const names: readonly string[] = JSON.parse(facilities.value);
  return (
    <FilterBar names={NAMES}>
      <SelectFilter
        name="status"
        label={overview.status}
        any={overview.anyStatus}
        options={DEVICE_STATUSES.map((status) => [status, common.deviceStatuses[status]])}
      />
      <SelectFilter
        name="profile"
        label={overview.profile}
        any={overview.anyProfile}
        options={PROFILE_NAMES.map((profile) => [profile, common.profiles[profile] ?? profile])}
      />
      {names.length > 1 && (
        <SelectFilter
          name="facility"
          label={table.facility}
          any={table.anyFacility}
          options={names.map((name) => [name, name])}
        />
      )}
      <SelectFilter
        name="group"
        label={overview.grouping}
        any={overview.groupings.place}
        options={[['none', overview.groupings.none]]}
      />
      <SelectFilter
        name="sort"
        label={overview.sort}
        any={overview.sorts.attention}
        options={[['name', overview.sorts.name]]}
      />
    </FilterBar>
  );
}
