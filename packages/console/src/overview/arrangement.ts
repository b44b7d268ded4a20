import type { AlertType } from '@granary/contract/alerts';
import { hasLabels, type WantedLabel, wantedLabels } from '@granary/contract/devices/label-match';
import { DEVICE_STATUSES, type DeviceStatus } from '@granary/contract/devices/statuses';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import { PROFILE_NAMES } from '@granary/contract/outline';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { isUnacknowledged } from '../alerts/alerts.ts';
import { compareNames } from '../live/site.ts';

/** The attention that a device needs from a person, the most urgent first. */
const NEEDS = ['critical', 'moving', 'warning', 'silent', 'nothing'] as const;

const isSilent = ({ status, readings = {} }: Facts['device']): boolean =>
  status === 'offline' || Object.values(readings).some(({ quality }) => quality !== 'good');

/** The alerts which say that little is left in a silo. */
const LOW_ALERTS: readonly AlertType[] = ['low_level', 'critical_level', 'predicted_empty'];

export const SORTS = ['attention', 'name', 'level', 'empty'] as const;
const GROUPINGS = ['place', 'none'] as const;
/** The devices that a person most often looks for. */
export const SHOWS = ['needs_me', 'moving', 'low', 'stale'] as const;
export type Show = (typeof SHOWS)[number];
/** More devices than this are too many to look at, so their facilities are closed until one is opened. */
const OPEN_DEVICES_MAX = 60;

/** The devices that the overview shows, and their order; both are in the address. */
export interface Arrangement {
  /** The searched text, in lower case. */
  readonly search: string;
  readonly status: DeviceStatus | null;
  readonly profile: ProfileName | null;
  readonly facility: string | null;
  readonly labels: readonly WantedLabel[];
  readonly show: Show | null;
  readonly sort: (typeof SORTS)[number];
  readonly grouping: (typeof GROUPINGS)[number];
}

/** An unknown value does not filter, so that an old address still shows something. */
export function arrangementOf(query: URLSearchParams): Arrangement {
  return {
    search: (query.get('q') ?? '').trim().toLowerCase(),
    status: DEVICE_STATUSES.find((one) => one === query.get('status')) ?? null,
    profile: PROFILE_NAMES.find((one) => one === query.get('profile')) ?? null,
    facility: query.get('facility') || null,
    labels: wantedLabels(query.get('label') || undefined),
    show: SHOWS.find((one) => one === query.get('show')) ?? null,
    sort: SORTS.find((one) => one === query.get('sort')) ?? 'attention',
    grouping: GROUPINGS.find((one) => one === query.get('group')) ?? 'place',
  };
}

type Listed = Pick<
  FleetDevice,
  'device_id' | 'name' | 'model' | 'profile' | 'status' | 'location' | 'labels'
>;

export interface ArrangedDevice {
  readonly device: Listed;
  readonly need: Need;
  readonly shows: readonly Show[];
  /** The level in percent. */
  readonly level: number | null;
  /** When the silo is expected to be empty. */
  readonly emptyMs: number | null;
}

/** The devices of one facility; without grouping, all devices and the name `null`. */
export interface Facility {
  readonly name: string | null;
  readonly deviceIds: readonly string[];
}

/**
 * Devices are sorted within their facility. Facilities are in the order of their names, so that a person finds them in the same place.
 * With an order by level or by the time of being empty, the facility of the first device comes first.
 */
export function arrange(devices: readonly ArrangedDevice[], arrangement: Arrangement): Facility[] {
  const shown = devices.filter((one) => isWanted(one, arrangement)).sort(ORDERS[arrangement.sort]);
  if (arrangement.grouping === 'none') {
    return shown.length === 0 ? [] : [{ name: null, deviceIds: idsOf(shown) }];
  }
  const facilities = [...Map.groupBy(shown, ({ device }) => device.location.facility)];
  if (!BY_NUMBER.includes(arrangement.sort)) facilities.sort(([one], [other]) => compareNames(one, other));
  return facilities.map(([name, ofFacility]) => ({ name, deviceIds: idsOf(ofFacility) }));
}

/** Rows within this distance of the window, in pixels, are drawn before they are seen. */
const ROWS_MARGIN_PX = 600;

/** The rows of a list that are in the window or close to it; at least one, so that its height can be measured. */
export function rowsInWindow(
  topPx: number,
  windowPx: number,
  rowPx: number,
  rows: number,
): { readonly first: number; readonly end: number } {
  const first = Math.floor((-topPx - ROWS_MARGIN_PX) / rowPx);
  const shownFirst = Math.max(0, Math.min(rows - 1, first));
  const end = Math.ceil((windowPx - topPx + ROWS_MARGIN_PX) / rowPx);
  return { first: shownFirst, end: Math.max(shownFirst + 1, Math.min(rows, end)) };
}

/** The facilities that are open: all if few devices are shown, otherwise none, except those that a person has switched. */
export function openFacilities(facilities: readonly Facility[], turned: ReadonlySet<string>): Set<string> {
  const names = facilities.flatMap(({ name }) => name ?? []);
  const count = facilities.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);
  const isOpen = names.length <= 1 || count <= OPEN_DEVICES_MAX;
  return new Set(names.filter((name) => turned.has(name) !== isOpen));
}

function isWanted({ device, shows }: ArrangedDevice, wanted: Arrangement): boolean {
  const { device_id, name, model, profile, status, location, labels = {} } = device;
  return (
    (wanted.show === null || shows.includes(wanted.show)) &&
    (wanted.status === null || status === wanted.status) &&
    [null, profile].includes(wanted.profile) &&
    (wanted.facility === null || location.facility === wanted.facility) &&
    hasLabels(labels, wanted.labels) &&
    (wanted.search === '' ||
      [device_id, name, model, location.facility, location.zone, ...Object.values(labels)].some((text) =>
        text.toLowerCase().includes(wanted.search),
      ))
  );
}

const byName = ({ device: one }: ArrangedDevice, { device: other }: ArrangedDevice): number =>
  compareNames(one.name, other.name) || compareNames(one.device_id, other.device_id);

const byPlace = ({ device: one }: ArrangedDevice, { device: other }: ArrangedDevice): number =>
  compareNames(one.location.zone, other.location.zone);

/** Compares numbers; an unknown one comes last. */
const byNumber = (one: number | null, other: number | null): number =>
  one === null || other === null ? Number(one === null) - Number(other === null) : one - other;

const ORDERS: Readonly<Record<Arrangement['sort'], (one: ArrangedDevice, other: ArrangedDevice) => number>> =
  {
    attention: (one, other) =>
      NEEDS.indexOf(one.need) - NEEDS.indexOf(other.need) || byPlace(one, other) || byName(one, other),
    name: byName,
    level: (one, other) => byNumber(one.level, other.level) || byName(one, other),
    empty: (one, other) => byNumber(one.emptyMs, other.emptyMs) || byName(one, other),
  };

const BY_NUMBER: readonly Arrangement['sort'][] = ['level', 'empty'];

const idsOf = (devices: readonly ArrangedDevice[]): string[] =>
  devices.map(({ device: { device_id } }) => device_id);

export type Need = (typeof NEEDS)[number];

interface Facts {
  readonly device: Pick<FleetDevice, 'status' | 'readings'>;
  readonly alerts: readonly Pick<FleetAlert, 'severity' | 'status' | 'type'>[];
  readonly isMoving: boolean;
}

/** Compares by need; the most urgent comes first. */
export const byNeed = (one: Facts, other: Facts): number =>
  NEEDS.indexOf(needOf(one)) - NEEDS.indexOf(needOf(other));

export function needOf({ device, alerts, isMoving }: Facts): Need {
  const waits = (severity: FleetAlert['severity']): boolean =>
    alerts.some((alert) => alert.severity === severity && isUnacknowledged(alert));
  if (waits('critical')) return 'critical';
  if (isMoving) return 'moving';
  if (waits('warning')) return 'warning';
  return isSilent(device) ? 'silent' : 'nothing';
}

export function showsOf({ device, alerts, isMoving }: Facts): Show[] {
  const shows: Readonly<Record<Show, boolean>> = {
    needs_me: alerts.some((alert) => alert.severity !== 'info' && isUnacknowledged(alert)),
    moving: isMoving,
    low: alerts.some(({ type }) => LOW_ALERTS.includes(type)),
    stale: isSilent(device),
  };
  return SHOWS.filter((show) => shows[show]);
}
