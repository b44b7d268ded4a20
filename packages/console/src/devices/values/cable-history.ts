import type { Client } from '@granary/client';
import type { AlertSeverity } from '@granary/contract/alerts';
import type { HistoryRow } from '@granary/contract/exports';
import { INTERVAL_MS, INTERVALS } from '@granary/contract/outline';
import type { Interval } from '@granary/contract/telemetry/telemetry';
import type { TimeRange } from '../chart/chart-selection.ts';
import type { ShownSensor } from '../facts/sensors.ts';

/** The number of columns that can be told apart. */
const COLUMNS_MAX = 200;
/** The number of shades that a person can tell apart. */
const SHADES = 50;

/** The means of the points of a cable over the time range of the chart. */
export interface CableHistory {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly columns: number;
  /** The means by sensor and then by column; `undefined` where nothing was measured. */
  readonly values: ReadonlyMap<string, readonly (number | undefined)[]>;
}

/** The resolution with which a time range has few enough columns. */
export const cableInterval = ({ fromMs, toMs }: Pick<TimeRange, 'fromMs' | 'toMs'>): Interval =>
  INTERVALS.find((name) => (toMs - fromMs) / INTERVAL_MS[name] <= COLUMNS_MAX) ?? '1d';

export async function loadCableHistory(
  client: Client,
  deviceId: string,
  sensors: readonly ShownSensor[],
  range: TimeRange,
  signal: AbortSignal,
): Promise<CableHistory> {
  const ids = sensors.map(({ id }) => id);
  const place = placeOf(range);
  const query = {
    device_id: deviceId,
    sensor: ids.join(','),
    interval: cableInterval(range),
    from: new Date(place.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
  };
  return cableHistoryOf(await Array.fromAsync(client.exports.history(query, { signal })), ids, place);
}

type Place = Pick<CableHistory, 'fromMs' | 'stepMs' | 'columns'>;

/** The columns of a time range; the first one contains its beginning. */
export function placeOf(range: Pick<TimeRange, 'fromMs' | 'toMs'>): Place {
  const stepMs = INTERVAL_MS[cableInterval(range)];
  const fromMs = Math.floor(range.fromMs / stepMs) * stepMs;
  return { fromMs, stepMs, columns: Math.ceil((range.toMs - fromMs) / stepMs) };
}

export function cableHistoryOf(
  rows: readonly Pick<HistoryRow, 'sensor' | 'timestamp' | 'value'>[],
  sensorIds: readonly string[],
  place: Place,
): CableHistory {
  const values = new Map(
    sensorIds.map((id) => [id, new Array<number | undefined>(place.columns).fill(undefined)]),
  );
  for (const { sensor, timestamp, value } of rows) {
    const row = values.get(sensor);
    const column = Math.floor((Date.parse(timestamp) - place.fromMs) / place.stepMs);
    if (row !== undefined && value !== null && column >= 0 && column < place.columns) row[column] = value;
  }
  return { ...place, values };
}

/** The lowest and the highest value of all points. */
export function extentOf({ values }: Pick<CableHistory, 'values'>): readonly [number, number] | null {
  const all = [...values.values()].flatMap((row) => row.filter((value) => value !== undefined));
  return all.length === 0 ? null : [Math.min(...all), Math.max(...all)];
}

interface Stripes {
  readonly row: readonly (number | undefined)[];
  readonly extent: readonly [number, number];
  /** The severity of the rule that a value breaks. */
  readonly severityOf: (value: number) => AlertSeverity | undefined;
}

/** One row of the map as a CSS background: darker is higher, and a value that breaks a rule has the colour of its alarm. */
export function stripes({ row, extent: [low, high], severityOf }: Stripes): string {
  const share = (value: number): number => (high === low ? 0.5 : (value - low) / (high - low));
  const colourOf = (value: number | undefined): string => {
    if (value === undefined) return 'transparent';
    const severity = severityOf(value);
    if (severity !== undefined) return `var(--${severity})`;
    const shade = Math.round(share(value) * SHADES) / SHADES;
    return `color-mix(in oklab, var(--series-1) ${Math.round(8 + shade * 92)}%, var(--surface))`;
  };
  const stops: string[] = [];
  const columns = row.length;
  let begin = 0;
  for (let column = 1; column <= columns; column++) {
    const colour = colourOf(row[begin]);
    if (column < columns && colourOf(row[column]) === colour) continue;
    const percent = (at: number): string => `${Math.round((at / columns) * 1e4) / 100}%`;
    stops.push(`${colour} ${percent(begin)} ${percent(column)}`);
    begin = column;
  }
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
