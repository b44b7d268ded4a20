import './overview.css';
import { ALERT_SEVERITIES } from '@granary/contract/alerts';
import { DEVICE_STATUSES } from '@granary/contract/devices/statuses';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole } from '../context/console.ts';
import { FilterBar, SelectFilter } from '../kit/filter-bar.tsx';
import { Notice } from '../kit/messages.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import type { Site } from '../live/site.ts';
import { profileNames } from '../profiles/profiles.ts';
import {
  type ByDevice,
  byDevice,
  detailsOf,
  OverviewContext,
  useOverviewFacts,
} from '../profiles/tile-facts.ts';
import { texts } from '../texts/texts.ts';
import { type Arrangement, arrange, arrangementOf, type Facility, needOf, type Zone } from './arrangement.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { DeviceTile } from './device-tile.tsx';

const TILE_PX_MIN = 284;
const GAP_PX = 8;
const NAMES = ['q', 'status', 'profile', 'facility'];

interface Props {
  readonly facility: Facility;
  readonly isGrouped: boolean;
}

/** The zones of a facility stand side by side, and their tiles are aligned with each other. */
export function FacilitySection({ facility: { name, zones }, isGrouped }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const columns = useColumns(element);
  return (
    <section aria-label={name ?? texts.value.overview.title}>
      {name !== null && (
        <header class="overview-facility">
          <h2 class="free-text">{name}</h2>
          <FacilityCounts zones={zones} />
        </header>
      )}
      <div ref={element} class="overview-zones" style={{ '--columns': String(columns.value) }}>
        {zones.map((zone) => (
          <ZoneSection key={zone.name ?? ''} zone={zone} columns={columns.value} isGrouped={isGrouped} />
        ))}
      </div>
    </section>
  );
}

interface ZoneProps {
  readonly zone: Zone;
  readonly columns: number;
  readonly isGrouped: boolean;
}

function ZoneSection({ zone: { name, deviceIds }, columns, isGrouped }: ZoneProps) {
  const { devices } = useConsole().live.site;
  const span = Math.min(columns, deviceIds.length);
  return (
    <section class="overview-zone" style={{ gridColumn: `span ${span}` }}>
      {name !== null && <h3 class="overview-zone-name muted free-text">{name}</h3>}
      <ul class="overview-tiles">
        {deviceIds.map((deviceId) => {
          const device = devices.find(deviceId);
          return device && <DeviceTile key={deviceId} device={device} hasPlace={!isGrouped} />;
        })}
      </ul>
    </section>
  );
}

function FacilityCounts({ zones }: { readonly zones: readonly Zone[] }) {
  const { byDevice } = useOverviewFacts();
  const ids = zones.flatMap(({ deviceIds }) => deviceIds);
  const waiting = ids.flatMap((id) => byDevice.alerts.value.get(id) ?? []).filter(isUnacknowledged);
  return (
    <p class="overview-facility-counts muted">
      {texts.value.overview.devices(ids.length)}
      {ALERT_SEVERITIES.toReversed().map((severity) => {
        const count = waiting.filter((alert) => alert.severity === severity).length;
        return count > 0 && <SeverityMark key={severity} severity={severity} text={String(count)} />;
      })}
    </p>
  );
}

/** How many tiles fit side by side. A zone must know, because it takes as many columns as it has tiles. */
function useColumns(element: RefObject<HTMLElement | null>): ReadonlySignal<number> {
  const columns = useSignal(1);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      columns.value = Math.max(1, Math.floor((current.clientWidth + GAP_PX) / (TILE_PX_MIN + GAP_PX)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, []);
  return columns;
}

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
