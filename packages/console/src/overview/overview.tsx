import { ALERT_SEVERITIES, PROFILE_NAMES } from '@granary/contract/outline';
import { set } from '../kit/set.ts';
import './overview.css';
import { isHistoryBeingWritten, isSimulated } from '@granary/contract/devices/label-match';
import type { ForecastSummary } from '@granary/contract/foresight/forecasts';
import { useComputed } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { useConsole, useScope } from '../context/console.ts';
import { addressOf } from '../context/routes.ts';
import { forecastsOf } from '../foresight/forecasts.ts';
import { Button } from '../kit/button.tsx';
import { EmptyState } from '../kit/empty-state.tsx';
import { FilterBar, LabelFilter, Segments, SelectFilter } from '../kit/filter-bar.tsx';
import { formatMass } from '../kit/format.ts';
import { LastKnown } from '../kit/measured.tsx';
import { SeverityMark } from '../kit/severity-mark.tsx';
import type { Live } from '../live/live.ts';
import { profileNames } from '../profiles/profiles.ts';
import {
  type ByDevice,
  byDevice,
  detailsOf,
  OverviewContext,
  useOverviewFacts,
} from '../profiles/tile-facts.ts';
import { locale, texts } from '../texts.ts';
import { SavedViews } from '../views/saved-views.tsx';
import {
  type Arrangement,
  arrange,
  arrangementOf,
  type Facility,
  needOf,
  openFacilities,
  SHOWS,
  SORTS,
  showsOf,
} from './arrangement.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { ColumnChoice } from './column-choice.tsx';
import { DeviceTable } from './device-table.tsx';
import { TileList } from './device-tile.tsx';

const NAMES = ['q', 'show', 'status', 'profile', 'facility', 'label'];

interface Props {
  readonly facility: Facility;
  readonly isOpen: boolean;
  readonly isGrouped: boolean;
  readonly onTurn: (name: string) => void;
}

/** Shows a facility as one line with its summary, and the tiles of its devices below it while it is open. */
function FacilitySection({ facility: { name, deviceIds }, isOpen, isGrouped, onTurn }: Props) {
  return (
    <section
      class={`overview-facility ${isOpen ? '' : 'closed'}`}
      aria-label={name ?? texts.value.overview.title}
    >
      {name !== null && (
        <header class="overview-facility-head">
          <h2 class="free-text">
            <button type="button" aria-expanded={isOpen} onClick={() => onTurn(name)}>
              {name}
            </button>
          </h2>
          <FacilitySummary deviceIds={deviceIds} />
        </header>
      )}
      {(isOpen || name === null) && <TileList deviceIds={deviceIds} hasFacility={!isGrouped} />}
    </section>
  );
}

/** Shows the number of devices, the contents of all silos together, and the alerts that wait for a person. */
function FacilitySummary({ deviceIds }: Pick<Facility, 'deviceIds'>) {
  const { byDevice } = useOverviewFacts();
  const { devices } = useConsole().live.site;
  const { overview } = texts.value;
  const stock = useComputed(() => {
    const weights = deviceIds.flatMap((id) => devices.find(id)?.value.readings?.['weight']?.value ?? []);
    return weights.length === 0
      ? null
      : formatMass(
          weights.reduce((sum, weight) => sum + weight, 0),
          locale.value,
        );
  });
  const waiting = deviceIds.flatMap((id) => byDevice.alerts.value.get(id) ?? []).filter(isUnacknowledged);
  return (
    <p class="overview-facility-counts muted">
      <span>{overview.devices({ count: deviceIds.length })}</span>
      {stock.value !== null && (
        <LastKnown>
          <span>{overview.stock({ mass: stock.value })}</span>
        </LastKnown>
      )}
      {ALERT_SEVERITIES.toReversed().map((severity) => {
        const count = waiting.filter((alert) => alert.severity === severity).length;
        return count > 0 && <SeverityMark key={severity} severity={severity} text={String(count)} />;
      })}
    </p>
  );
}

/** Shows every device at a glance. */
export function Overview() {
  const { client, live, navigation } = useConsole();
  const { overview } = texts.value;
  const facts = useMemo(
    () => ({ byDevice: byDevice(live.site), details: detailsOf(client, live) }),
    [client, live],
  );
  const forecasts = forecastsOf(client, live);
  const previous = useRef<{ readonly facilities: Facility[]; readonly text: string }>(null);
  const arranged = useComputed(() => {
    const { query } = navigation.route.value;
    const arrangement = arrangementOf(query);
    // A table has no lines for facilities, so all its rows have one order.
    const whole = isTable(query) ? { ...arrangement, grouping: 'none' as const } : arrangement;
    const facilities = arrangedSite(live, facts.byDevice, forecasts.value, whole);
    const text = JSON.stringify(facilities);
    // Values change all the time but the order rarely, and the same order must not draw the list again.
    if (previous.current?.text !== text) previous.current = { facilities, text };
    return previous.current.facilities;
  });
  const { query } = navigation.route.value;
  const { grouping } = arrangementOf(query);
  const turned = turnedIn(query);
  const open = openFacilities(arranged.value, turned);
  const turn = (name: string): void => {
    const names = turned.symmetricDifference(new Set([name]));
    navigation.filter({ turned: names.size === 0 ? undefined : JSON.stringify([...names]) });
  };
  const isEmpty = live.site.devices.all.value.size === 0;
  return (
    <OverviewContext.Provider value={facts}>
      <h1 class="only-for-readers">{overview.title}</h1>
      <div class="overview">
        <AttentionPanel />
        <div class="overview-places">
          <DemoNotice />
          <HistoryNotice />
          {isEmpty ? <NoDevices /> : <OverviewFilters />}
          {!isEmpty && arranged.value.length === 0 && (
            <EmptyState drawing="silo" title={overview.nothingFound} />
          )}
          {isTable(query) ? (
            <DeviceTable deviceIds={arranged.value.flatMap(({ deviceIds }) => deviceIds)} />
          ) : (
            arranged.value.map((facility) => (
              <FacilitySection
                key={facility.name ?? ''}
                facility={facility}
                isOpen={facility.name === null || open.has(facility.name)}
                isGrouped={grouping === 'place'}
                onTurn={turn}
              />
            ))
          )}
        </div>
      </div>
    </OverviewContext.Provider>
  );
}

const isTable = (query: URLSearchParams): boolean => query.get('view') === 'table';

/** The facilities that a person has opened or closed; an address without valid names switches none. */
function turnedIn(query: URLSearchParams): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(query.get('turned') ?? '[]');
    return new Set(Array.isArray(names) ? names.map(String) : []);
  } catch {
    return new Set();
  }
}

function arrangedSite(
  { site, movements }: Pick<Live, 'site' | 'movements'>,
  facts: ByDevice,
  forecasts: ReadonlyMap<string, ForecastSummary>,
  arrangement: Arrangement,
): Facility[] {
  const moved = new Set(movements.places.value.map(({ job }) => job.device_id));
  const devices = [...site.devices.all.value.values()].map(({ value: device }) => {
    const { device_id, readings = {} } = device;
    const alerts = facts.alerts.value.get(device_id) ?? [];
    const isMoving = facts.operations.value.has(device_id) || facts.missions.value.has(device_id);
    const about = { device, alerts, isMoving };
    const emptyAt = forecasts.get(device_id)?.empty?.p50 ?? null;
    return {
      device,
      need: needOf(about),
      // A movement that has just ended stays in its place until its end was seen.
      shows: showsOf({ ...about, isMoving: moved.has(device_id) }),
      level: readings['level']?.value ?? null,
      emptyMs: emptyAt === null ? null : Date.parse(emptyAt),
    };
  });
  return arrange(devices, arrangement);
}

/** Chooses which devices are shown and how they are arranged; everything is in the address. */
function OverviewFilters() {
  const { live, navigation } = useConsole();
  const { devices } = live.site;
  const hasTable = isTable(navigation.route.value.query);
  const { overview, table } = texts.value;
  const names = devices.facilities.value;
  return (
    <FilterBar names={NAMES}>
      <Segments
        name="show"
        label={overview.show}
        options={[['', overview.shows.all], ...SHOWS.map((show) => [show, overview.shows[show]] as const)]}
      />
      <div class="overview-form">
        <Segments
          name="view"
          label={overview.view}
          options={[
            ['', overview.views.tiles],
            ['table', overview.views.table],
          ]}
        />
        {hasTable && <ColumnChoice />}
        <SavedViews />
      </div>
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
      <LabelFilter />
      {!hasTable && (
        <SelectFilter
          name="group"
          label={overview.grouping}
          any={overview.groupings.place}
          options={[['none', overview.groupings.none]]}
        />
      )}
      <SelectFilter
        name="sort"
        label={overview.sort}
        any={overview.sorts.attention}
        options={SORTS.filter((sort) => sort !== 'attention').map((sort) => [sort, overview.sorts[sort]])}
      />
    </FilterBar>
  );
}

/** A notice for people who can attach devices, while there are only those of the demo. */
function DemoNotice() {
  const { live, preferences } = useConsole();
  const { devices } = live.site;
  const { start } = texts.value;
  const isDemo = useComputed(
    () =>
      devices.all.value.size > 0 &&
      [...devices.all.value.values()].every(({ value: device }) => isSimulated(device)),
  );
  const canAttach = useScope('admin');
  if (!canAttach || !isDemo.value || !preferences.showsDemoNotice.value) return null;
  return (
    <aside class="demo-notice panel" aria-label={start.title}>
      <p>
        {start.notice} <a href={addressOf('start')}>{start.noticeMore}</a>
      </p>
      <Button onPress={() => set(preferences.showsDemoNotice, false)}>{start.dismiss}</Button>
    </aside>
  );
}

/** A notice for everybody, because charts and forecasts of these devices have only a part of their past. */
function HistoryNotice() {
  const { devices } = useConsole().live.site;
  const simulated = useComputed(() => devices.count(isSimulated));
  const unwritten = useComputed(() => devices.count(isHistoryBeingWritten));
  if (unwritten.value === 0) return null;
  return (
    <p class="demo-notice panel">
      {texts.value.start.historyBeingWritten({ count: unwritten.value, of: simulated.value })}
    </p>
  );
}

/** The first view of a new service. */
function NoDevices() {
  const { overview } = texts.value;
  return (
    <EmptyState drawing="farm" title={overview.empty} text={overview.emptyNext}>
      {useScope('admin') && (
        <a class="button primary" href={addressOf('administration', 'devices')}>
          {overview.register}
        </a>
      )}
      <a class="button" href={addressOf('start')}>
        {overview.howToConnect}
      </a>
    </EmptyState>
  );
}
