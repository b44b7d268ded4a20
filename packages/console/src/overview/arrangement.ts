import { DEVICE_STATUSES, type DeviceStatus } from '@granary/contract/devices/statuses';
import type { FleetAlert, FleetDevice } from '@granary/contract/fleet';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { isUnacknowledged } from '../alerts/alerts.ts';

/** What a device needs of a person, most urgent first. */
const NEEDS = ['critical', 'moving', 'warning', 'silent', 'nothing'] as const;

const isSilent = ({ status, readings = {} }: Facts['device']): boolean =>
  status === 'offline' || Object.values(readings).some(({ quality }) => quality !== 'good');

export const SORTS = ['attention', 'name'] as const;
export const GROUPINGS = ['place', 'none'] as const;

/** Which devices the overview shows, and in which order. It is in the address. */
export interface Arrangement {
  /** In lower case. */
  readonly search: string;
  readonly status: DeviceStatus | null;
  readonly profile: ProfileName | null;
  readonly facility: string | null;
  readonly sort: (typeof SORTS)[number];
  readonly grouping: (typeof GROUPINGS)[number];
}

/** What is not known is not filtered by, so that an old address still shows something. */
export function arrangementOf(query: URLSearchParams): Arrangement {
  return {
    search: (query.get('q') ?? '').trim().toLowerCase(),
    status: DEVICE_STATUSES.find((one) => one === query.get('status')) ?? null,
    profile: PROFILE_NAMES.find((one) => one === query.get('profile')) ?? null,
    facility: query.get('facility') || null,
    sort: SORTS.find((one) => one === query.get('sort')) ?? 'attention',
    grouping: GROUPINGS.find((one) => one === query.get('group')) ?? 'place',
  };
}

type Listed = Pick<FleetDevice, 'device_id' | 'name' | 'model' | 'profile' | 'status' | 'location'>;

export interface ArrangedDevice {
  readonly device: Listed;
  readonly need: Need;
}

/** The devices of one zone, or all of them where they are not grouped: then the names are `null`. */
export interface Zone {
  readonly name: string | null;
  readonly deviceIds: readonly string[];
}

export interface Facility {
  readonly name: string | null;
  readonly zones: readonly Zone[];
}

/** Places are always in the same order, so that a person finds them where they were; devices are sorted within a place. */
export function arrange(devices: readonly ArrangedDevice[], arrangement: Arrangement): Facility[] {
  const shown = devices.filter(({ device }) => isWanted(device, arrangement));
  const inOrder = shown.sort(arrangement.sort === 'name' ? byName : byNeed);
  if (arrangement.grouping === 'none') {
    return inOrder.length === 0 ? [] : [{ name: null, zones: [{ name: null, deviceIds: idsOf(inOrder) }] }];
  }
  return grouped(inOrder, ({ location }) => location.facility).map(([name, ofFacility]) => ({
    name,
    zones: grouped(ofFacility, ({ location }) => location.zone).map(([zone, ofZone]) => ({
      name: zone,
      deviceIds: idsOf(ofZone),
    })),
  }));
}

function isWanted(
  { device_id, name, model, profile, status, location }: Listed,
  wanted: Arrangement,
): boolean {
  return (
    (wanted.status === null || status === wanted.status) &&
    [null, profile].includes(wanted.profile) &&
    (wanted.facility === null || location.facility === wanted.facility) &&
    (wanted.search === '' ||
      [device_id, name, model, location.facility, location.zone].some((text) =>
        text.toLowerCase().includes(wanted.search),
      ))
  );
}

/** One comparison for all, because making one for each pair is slow. */
const { compare } = new Intl.Collator(undefined, { numeric: true });

const byName = ({ device: one }: ArrangedDevice, { device: other }: ArrangedDevice): number =>
  compare(one.name, other.name) || compare(one.device_id, other.device_id);

const byNeed = (one: ArrangedDevice, other: ArrangedDevice): number =>
  NEEDS.indexOf(one.need) - NEEDS.indexOf(other.need) || byName(one, other);

const idsOf = (devices: readonly ArrangedDevice[]): string[] =>
  devices.map(({ device: { device_id } }) => device_id);

function grouped(
  devices: readonly ArrangedDevice[],
  nameOf: (device: Listed) => string,
): [string, ArrangedDevice[]][] {
  return [...Map.groupBy(devices, ({ device }) => nameOf(device))].sort(([one], [other]) =>
    compare(one, other),
  );
}

export type Need = (typeof NEEDS)[number];

interface Facts {
  readonly device: Pick<FleetDevice, 'status' | 'readings'>;
  readonly alerts: readonly Pick<FleetAlert, 'severity' | 'status'>[];
  readonly isMoving: boolean;
}

export function needOf({ device, alerts, isMoving }: Facts): Need {
  const waits = (severity: FleetAlert['severity']): boolean =>
    alerts.some((alert) => alert.severity === severity && isUnacknowledged(alert));
  if (waits('critical')) return 'critical';
  if (isMoving) return 'moving';
  if (waits('warning')) return 'warning';
  return isSilent(device) ? 'silent' : 'nothing';
}
