import './overview.css';
import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { Notice } from '../kit/messages.tsx';
import type { Site } from '../live/site.ts';
import { profileNames } from '../profiles/profiles.ts';
import { type ByDevice, byDevice, detailsOf, OverviewContext } from '../profiles/tile-facts.ts';
import { texts } from '../texts/texts.ts';
import { type Arrangement, arrange, arrangementOf, type Facility, needOf } from './arrangement.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { FacilitySection } from './facility-section.tsx';

const NAMES = ['q', 'status', 'profile', 'facility'];

/** Every device at a glance. */
export function Overview() {
  const { client, live, navigation } = useConsole();
  const { overview } = texts.value;
  const facts = useMemo(
    () => ({ byDevice: byDevice(live.site), details: detailsOf(client, live) }),
    [client, live],
  );
  const previous = useRef<{ readonly facilities: Facility[]; readonly text: string }>(null);
  const arranged = useComputed(() => {
    const facilities = arrangedSite(live.site, facts.byDevice, arrangementOf(navigation.route.value.query));
    const text = JSON.stringify(facilities);
    // Values change all the time but the order rarely, and the same order draws nothing again.
    if (previous.current?.text !== text) previous.current = { facilities, text };
    return previous.current.facilities;
  });
  const { grouping } = arrangementOf(navigation.route.value.query);
  const isEmpty = live.site.devices.all.value.size === 0;
  return (
    <OverviewContext.Provider value={facts}>
      <h1 class="only-for-readers">{overview.title}</h1>
      <div class="overview">
        <AttentionPanel />
        <div class="overview-places">
          {isEmpty ? <Notice>{overview.empty}</Notice> : <OverviewFilters />}
          {!isEmpty && arranged.value.length === 0 && <Notice>{overview.nothingFound}</Notice>}
          {arranged.value.map((facility) => (
            <FacilitySection key={facility.name ?? ''} facility={facility} isGrouped={grouping === 'place'} />
          ))}
        </div>
      </div>
    </OverviewContext.Provider>
  );
}

function arrangedSite(site: Site, facts: ByDevice, arrangement: Arrangement): Facility[] {
  const devices = [...site.devices.all.value.values()].map(({ value: device }) => {
    const { device_id } = device;
    const alerts = facts.alerts.value.get(device_id) ?? [];
    const isMoving = facts.operations.value.has(device_id) || facts.missions.value.has(device_id);
    return { device, need: needOf({ device, alerts, isMoving }) };
  });
  return arrange(devices, arrangement);
}

/** Which devices are shown and how they are arranged; all of it is in the address. */
function OverviewFilters() {
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
        options={PROFILE_NAMES.map((profile) => [profile, profileNames(profile).many])}
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
