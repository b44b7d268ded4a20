import { INTERVAL_MS, INTERVALS } from '@granary/contract/outline';
import type { Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import type { ShownSensor } from '../facts/sensors.ts';

const SENSORS_SHOWN_MAX = 3;

/** The sensors to show first when the address names none. */
const FIRST_CHOICES = ['level', 'battery_level', 'temperature'];

const DEFAULT: Preset = '24h';
const SHORTEST_MS = 10 * MINUTE_MS;
const LONGEST_MS = 20 * 365 * DAY_MS;

/** Two points for each pixel still show every extreme. */
const POINTS_PER_PIXEL_MAX = 2;

/** The colour of each series, in the order of the selection. */
export const SERIES_COLOURS = ['--series-1', '--series-2', '--series-3'] as const;

/** The ranges that end now and move on with the time. */
export const PRESETS = {
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** `null` for a range that the person has chosen, which does not move. */
  readonly preset: Preset | null;
}

/** The range in the address; the default when it cannot be read. */
export function rangeOf(query: URLSearchParams, nowMs: number): TimeRange {
  const fromMs = Date.parse(query.get('from') ?? '');
  const toMs = Date.parse(query.get('to') ?? '');
  if (fromMs < toMs && toMs - fromMs <= LONGEST_MS) return { fromMs, toMs, preset: null };
  const preset = PRESET_NAMES.find((name) => name === query.get('range')) ?? DEFAULT;
  return { fromMs: nowMs - PRESETS[preset], toMs: nowMs, preset };
}

/** The parameters of the address for a range. */
export const addressOfRange = ({ fromMs, toMs }: Pick<TimeRange, 'fromMs' | 'toMs'>) => ({
  from: new Date(Math.round(fromMs)).toISOString(),
  to: new Date(Math.round(toMs)).toISOString(),
  range: undefined,
});

export const addressOfPreset = (preset: Preset) => ({
  from: undefined,
  to: undefined,
  range: preset === DEFAULT ? undefined : preset,
});

/** Moves the range by a share of its length, but not into the future. */
export function moved({ fromMs, toMs }: TimeRange, share: number, nowMs: number): TimeRange {
  const length = toMs - fromMs;
  const end = Math.min(toMs + length * share, Math.max(toMs, nowMs));
  return { fromMs: end - length, toMs: end, preset: null };
}

/** Shows more (factor above 1) or less of the time around one moment. */
export function zoomed({ fromMs, toMs }: TimeRange, factor: number, atMs: number, nowMs: number): TimeRange {
  const length = toMs - fromMs;
  const wanted = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, length * factor));
  const before = ((atMs - fromMs) / length) * wanted;
  const end = Math.min(atMs - before + wanted, Math.max(toMs, nowMs));
  return { fromMs: end - wanted, toMs: end, preset: null };
}

/** The intervals to try: the finest first, the coarser ones for times whose finer buckets were removed. */
export function intervalsFor({ fromMs, toMs }: TimeRange, widthPx: number): readonly Interval[] {
  const pointsMax = widthPx * POINTS_PER_PIXEL_MAX;
  const first = INTERVALS.findIndex((name) => (toMs - fromMs) / INTERVAL_MS[name] <= pointsMax);
  return first === -1 ? INTERVALS.slice(-1) : INTERVALS.slice(first);
}

/** The sensors in the address; unknown ones are left out. */
export function selectedSensors(query: URLSearchParams, sensors: readonly ShownSensor[]): ShownSensor[] {
  const named = [...new Set((query.get('sensor') ?? '').split(','))].flatMap(
    (id) => sensors.find((one) => one.id === id) ?? [],
  );
  if (named.length > 0) return named.slice(0, SENSORS_SHOWN_MAX);
  const first = FIRST_CHOICES.flatMap((id) => sensors.find((one) => one.id === id) ?? [])[0] ?? sensors[0];
  return first === undefined ? [] : [first];
}

/** The selection after a press on a sensor: a further one is added while a colour is left, and then replaces the last one. The only one stays. */
export function toggled(selected: readonly ShownSensor[], sensor: ShownSensor): string {
  const ids = selected.map(({ id }) => id);
  const others = ids.filter((id) => id !== sensor.id);
  if (others.length < ids.length) return (others.length === 0 ? ids : others).join(',');
  return [...ids.slice(0, SENSORS_SHOWN_MAX - 1), sensor.id].join(',');
}
