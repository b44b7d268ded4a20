import type { ModbusMapping, Point } from './mapping.ts';
import type { ModbusPlace, ModbusSettings, Table } from './modbus-place.ts';
import { pointsNeededBy } from './value.ts';

/** One request to a Modbus device, with the places of the points in the answer. */
export interface PlannedRead {
  readonly table: Table;
  readonly functionCode: number;
  readonly at: number;
  /** The number of registers, or of bits. */
  readonly count: number;
  readonly points: readonly Point<ModbusPlace>[];
}

/** The points that are read together with one period, and the points on which their values depend. */
export interface ReadGroup {
  readonly everyMs: number;
  readonly points: readonly Point<ModbusPlace>[];
  readonly reads: readonly PlannedRead[];
}

/** Plans the reads. `everyMs` of the site file replaces the shortest period of the mapping; longer periods stay. */
export function planReads(mapping: ModbusMapping, everyMs: number | null = null): ReadGroup[] {
  const byName = new Map(mapping.points.map((point) => [point.name, point]));
  const periods = new Map<number, Point<ModbusPlace>[]>();
  const shortestMs = Math.min(...mapping.points.map((point) => point.everyMs));
  for (const point of mapping.points) {
    const isShortest = point.everyMs === shortestMs;
    const period = isShortest ? (everyMs ?? shortestMs) : Math.max(point.everyMs, everyMs ?? 0);
    const list = periods.get(period);
    if (list === undefined) periods.set(period, [point]);
    else list.push(point);
  }
  return [...periods]
    .sort(([one], [other]) => one - other)
    .map(([period, own]) => {
      const needed = own
        .flatMap(({ rules }) => pointsNeededBy(rules))
        .flatMap((name) => byName.get(name) ?? []);
      const points = [...new Set([...own, ...needed])];
      return { everyMs: period, points: own, reads: readsOf(points, mapping.points, mapping.settings) };
    });
}

/**
 * Returns the fewest requests that read these points. A request begins at the first point that is not read yet and ends as late
 * as the limits allow. It reads every point that another first request could read, so no plan has fewer requests.
 */
export function readsOf(
  wanted: readonly Point<ModbusPlace>[],
  known: readonly Point<ModbusPlace>[],
  settings: ModbusSettings,
): PlannedRead[] {
  const tables = [...new Set(wanted.map(({ place }) => place.table))];
  return tables.flatMap((table) => {
    const ofTable = wanted
      .filter(({ place }) => place.table === table)
      .sort((one, other) => one.place.at - other.place.at || one.place.width - other.place.width);
    const limits = limitsOf(table, known, settings);
    const alone = ofTable.filter(({ place }) => place.isAlone).map((point) => [point]);
    const together = blocksOf(
      ofTable.filter(({ place }) => !place.isAlone),
      limits,
    );
    return [...together, ...alone].map((points) => readOf(table, points, settings));
  });
}

interface Limits {
  readonly countMax: number;
  /** Returns whether the registers between the end of the block and this address may be read, too. */
  readonly mayCross: (from: number, to: number) => boolean;
}

function limitsOf(table: Table, known: readonly Point<ModbusPlace>[], settings: ModbusSettings): Limits {
  const isBits = table === 'coil' || table === 'discrete';
  const named = new Set<number>();
  for (const { place } of known) {
    if (place.table !== table) continue;
    for (let index = 0; index < place.width; index += 1) named.add(place.at + index);
  }
  const isForbidden = (address: number) =>
    settings.forbidden.some(([first, last]) => address >= first && address <= last);
  const mayCross = (from: number, to: number): boolean => {
    let unknown = 0;
    for (let address = from; address < to; address += 1) {
      if (isForbidden(address)) return false;
      unknown = named.has(address) ? 0 : unknown + 1;
      if (unknown > settings.gap) return false;
    }
    return true;
  };
  return { countMax: isBits ? settings.bitsMax : settings.registersMax, mayCross };
}

/** Divides points, which are in the order of their addresses, into blocks. */
function blocksOf(points: readonly Point<ModbusPlace>[], limits: Limits): Point<ModbusPlace>[][] {
  const blocks: Point<ModbusPlace>[][] = [];
  let rest = points;
  while (rest.length > 0) {
    const [first] = rest;
    if (first === undefined) break;
    const block: Point<ModbusPlace>[] = [];
    const left: Point<ModbusPlace>[] = [];
    let end = first.place.at;
    let isOpen = true;
    for (const point of rest) {
      const { at, width } = point.place;
      isOpen &&= at < first.place.at + limits.countMax && (at <= end || limits.mayCross(end, at));
      const fits = isOpen && at + width <= first.place.at + limits.countMax;
      (fits ? block : left).push(point);
      if (fits) end = Math.max(end, at + width);
    }
    blocks.push(block);
    rest = left;
  }
  return blocks;
}

function readOf(table: Table, points: readonly Point<ModbusPlace>[], settings: ModbusSettings): PlannedRead {
  const at = points[0]?.place.at ?? 0;
  const end = points.reduce((last, { place }) => Math.max(last, place.at + place.width), at);
  return { table, functionCode: settings.functions[table], at, count: end - at, points };
}

/** The speed of a connection: the round trip over TCP, or the baud rate of a serial line. */
export type Line = { readonly roundTripMs: number } | { readonly baud: number };

export const TYPICAL_ROUND_TRIP_MS = 5;
export const DEFAULT_BAUD = 9_600;
/** The bits of a byte on the line: start, eight bits, parity and stop. */
const BITS_PER_BYTE = 11;
/** The silence before and after a frame, in bytes. */
const SILENCE_BYTES = 3.5;
const RTU_REQUEST_BYTES = 8;
const RTU_ANSWER_BYTES = 5;
/** The time that a device needs to begin its answer. */
const TURN_ROUND_MS = 5;

/** Returns the time of one request on the line, including the pause that the device needs after it. */
function requestMs({ table, count }: PlannedRead, line: Line, { pauseMs }: ModbusSettings): number {
  if ('roundTripMs' in line) return line.roundTripMs + pauseMs;
  const dataBytes = table === 'coil' || table === 'discrete' ? Math.ceil(count / 8) : 2 * count;
  const bytes = RTU_REQUEST_BYTES + RTU_ANSWER_BYTES + dataBytes + 2 * SILENCE_BYTES;
  return (bytes * BITS_PER_BYTE * 1_000) / line.baud + TURN_ROUND_MS + pauseMs;
}

/** Returns the time of all requests of a group, one after the other on the same line. */
export const groupMs = ({ reads }: ReadGroup, line: Line, settings: ModbusSettings): number =>
  reads.reduce((sum, read) => sum + requestMs(read, line, settings), 0);

/** Returns the share of time for which these groups use their line: above 1, their periods cannot be met. */
export const lineLoad = (groups: readonly ReadGroup[], line: Line, settings: ModbusSettings): number =>
  groups.reduce((sum, group) => sum + groupMs(group, line, settings) / group.everyMs, 0);
