import type { FleetDevice } from '@granary/contract/fleet';
import type { MissionRecord } from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import type { Quality } from '@granary/contract/telemetry/telemetry';
import { MISSION_UNDER_WAY } from '../live/site.ts';
import type { Texts } from '../texts.ts';
import { distanceM, type ScreenPlace } from './surface/projection.ts';

interface MissionPath {
  readonly done: readonly Point[];
  readonly left: readonly Point[];
}

/** The way that a mission has done, and the way that is left. While it is under way the vehicle is between both. */
export function missionPath(
  { waypoints, status }: Pick<MissionRecord, 'waypoints' | 'status'>,
  vehicle: Point | null,
): MissionPath {
  const lastReached = waypoints.findLastIndex((waypoint) => waypoint.status === 'reached');
  const reached = waypoints.slice(0, lastReached + 1).filter((waypoint) => waypoint.status === 'reached');
  const open = waypoints.slice(lastReached + 1);
  if (MISSION_UNDER_WAY.includes(status) && vehicle !== null) {
    const isBegun = status !== 'dispatched' && reached.length > 0;
    return { done: isBegun ? [...reached, vehicle] : reached, left: [vehicle, ...open] };
  }
  return { done: reached, left: [...reached.slice(-1), ...open] };
}

/** The status of a mission in words: one that an emergency stop has ended was not ended by the vehicle. */
export const missionStatus = (
  { status, result }: Pick<MissionRecord, 'status' | 'result'>,
  { statuses, endedByEmergencyStop }: Texts['missions'],
): string =>
  status === 'aborted' && result?.reason === 'emergency_stop' ? endedByEmergencyStop : statuses[status];

const CHARACTERS_MAX = 26;

/** The approximate width of a character; the next value is the height of a line. */
const CHARACTER_PX = 7;

const LINE_PX = 18;

/** On a site larger than this, the vehicles would be drawn over each other. */
const SITE_M_MAX = 5_000;

const WORST_FIRST: readonly Quality[] = ['bad', 'stale', 'good'];

/** The last reported position of a device. */
export interface DevicePosition {
  readonly point: Point;
  readonly altitude: number | null;
  /** The quality of the worse one of both coordinates. */
  readonly quality: Quality;
  readonly at: string;
}

export function positionOf({ readings = {} }: Pick<FleetDevice, 'readings'>): DevicePosition | null {
  const { latitude, longitude, altitude } = readings;
  if (latitude === undefined || longitude === undefined) return null;
  const quality = WORST_FIRST.find((one) => one === latitude.quality || one === longitude.quality) ?? 'good';
  return {
    point: { lat: latitude.value, lng: longitude.value },
    altitude: altitude?.value ?? null,
    quality,
    at: latitude.timestamp < longitude.timestamp ? latitude.timestamp : longitude.timestamp,
  };
}

interface Placed<Device> {
  readonly device: Device;
  readonly facility: string;
  readonly point: Point;
}

/** The vehicles that the map shows first: all, or those of the facility with the most, if the facilities are far apart. */
export function firstShown<Device>(vehicles: readonly Placed<Device>[]): Device[] {
  const [first] = vehicles;
  const all = vehicles.map(({ device }) => device);
  if (first === undefined || vehicles.every(({ point }) => distanceM(first.point, point) <= SITE_M_MAX))
    return all;
  const facilities = [...Map.groupBy(vehicles, ({ facility }) => facility).values()];
  const largest = facilities.reduce((one, other) => (other.length > one.length ? other : one));
  return largest.map(({ device }) => device);
}

interface Label {
  readonly id: string;
  readonly text: string;
  /** The position of the mark to which the label belongs. */
  readonly at: ScreenPlace;
}

interface PlacedLabel extends Label {
  readonly isLeft: boolean;
}

/** Cuts a long name between two characters as a person sees them. */
export function shortened(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return characters.length <= CHARACTERS_MAX ? text : `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * The labels that have room beside their marks: to the right, or to the left near the edge of the map. Of labels that would cover each
 * other only the first is kept.
 */
export function labelsWithRoom(labels: readonly Label[], mapWidth: number): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const label of labels) {
    const one = { ...label, isLeft: label.at.x + widthOf(label) > mapWidth };
    if (placed.every((other) => !overlap(one, other))) placed.push(one);
  }
  return placed;
}

function overlap(one: PlacedLabel, other: PlacedLabel): boolean {
  const [start, otherStart] = [startOf(one), startOf(other)];
  return (
    Math.abs(one.at.y - other.at.y) < LINE_PX &&
    start < otherStart + widthOf(other) &&
    otherStart < start + widthOf(one)
  );
}

const startOf = (label: PlacedLabel): number => (label.isLeft ? label.at.x - widthOf(label) : label.at.x);

const widthOf = ({ text }: Label): number => 24 + text.length * CHARACTER_PX;
