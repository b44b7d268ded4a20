import type { DeviceGroup } from '@granary/contract/profiles/groups';
import {
  AGGREGATES,
  CONTENT_UNITS,
  type HistoryPoint,
  type HistoryQuery,
  INTERVAL_MS,
  INTERVALS,
  type SensorHistory,
} from '@granary/contract/telemetry/telemetry';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { choice, given, withAccess, withExamples } from '../../program/options.ts';
import { timeOrAge, timestamp } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { type Column, csvLine } from '../../terminal/table.ts';
import { numberText, readingText } from '../devices/device-texts.ts';

const UTF8_LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_LEVELS = ['_', '.', '-', '=', '+', '*', '#', '@'];
const HEIGHT = 6;
const CHART_COLUMNS_DEFAULT = 80;
const CHART_POINTS_MAX = 2_000;
/** The sensors that a device reports under another name than that of their history, and how to ask for them. */
const HISTORY_NAMES: Readonly<Record<DeviceGroup, Readonly<Record<string, string>>>> = {
  silo: { weight: 'level --unit kg' },
  field: {},
};
const NO_READINGS = 'There are no readings in this time.';

export interface ChartOptions {
  readonly width: number;
  readonly isUtf8: boolean;
  readonly label: (value: number) => string;
}

/** Draws columns whose height shows the values; `null` is a time without a value. */
export function chart(values: readonly (number | null)[], { width, isUtf8, label }: ChartOptions): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'no values';
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const labelWidth = Math.max(label(high).length, label(low).length);
  const columns = fitted(values, Math.max(1, width - labelWidth - 2));
  const levels = isUtf8 ? UTF8_LEVELS : ASCII_LEVELS;
  const axis = isUtf8 ? '│' : '|';
  const steps = HEIGHT * levels.length;
  const heights = columns.map((value) =>
    value === null
      ? 0
      : Math.max(1, Math.round(high === low ? steps / 2 : ((value - low) / (high - low)) * steps)),
  );
  return Array.from({ length: HEIGHT }, (_, row) => {
    const base = (HEIGHT - 1 - row) * levels.length;
    const cells = heights.map((height) => signAt(height - base, levels)).join('');
    const text = new Map([
      [0, label(high)],
      [HEIGHT - 1, label(low)],
    ]).get(row);
    return `${(text ?? '').padStart(labelWidth)} ${axis}${cells}`.trimEnd();
  }).join('\n');
}

function signAt(height: number, levels: readonly string[]): string {
  if (height <= 0) return ' ';
  return levels[Math.min(height, levels.length) - 1] ?? ' ';
}

/** The means of neighbouring values, if there are more values than columns. */
function fitted(values: readonly (number | null)[], width: number): (number | null)[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    const known = values.slice(from, to).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

interface Values
  extends AccessValues,
    Pick<HistoryQuery, 'from' | 'to' | 'interval' | 'aggregate' | 'unit' | 'tz'> {
  readonly since?: string;
  readonly csv?: boolean;
  readonly chart?: boolean;
}

export const history: Define = (command, environment) => {
  command
    .argument('<device_id>')
    .argument('[sensor]', 'level, temperature, humidity, battery_level, … or a declared sensor')
    .description('Shows what a sensor measured: a table, a chart or CSV.')
    .option('--since <time>', 'the last 12h, 7d, …, or since a date such as 2026-11-15', timeOrAge)
    .option('--from <time>', 'ISO 8601 (a day ago)', timestamp)
    .option('--to <time>', 'ISO 8601 (now)', timestamp)
    .addOption(choice('--interval <interval>', 'one point for each', INTERVALS))
    .addOption(choice('--aggregate <name>', 'what a point shows (avg)', AGGREGATES))
    .addOption(choice('--unit <unit>', 'of the contents of a silo', CONTENT_UNITS))
    .option('--tz <zone>', 'days from midnight to midnight there, with --interval 1d')
    .option('--chart', 'a small chart')
    .option('--csv', 'CSV');
  withExamples(
    command,
    'granary history silo-01 level --since 7d --interval 1d',
    'granary history silo-01 temperature --since 24h --chart',
    'granary history silo-01 level --unit kg --csv > level.csv',
  );
  withAccess(command).action(async (deviceId: string, sensor: string | undefined, values: Values) => {
    const client = accessClient(values, environment.env);
    const { group, readings = {} } = await findDevice(client, deviceId);
    const asked = sensor === undefined ? undefined : HISTORY_NAMES[group][sensor];
    if (asked !== undefined)
      throw new UsageError(`the history of ${sensor} has another name`, {
        cure: `Try granary history ${deviceId} ${asked}.`,
      });
    const { to, interval, aggregate, unit, tz, since } = values;
    const query = given({ sensor, from: since ?? values.from, to, interval, aggregate, unit, tz });
    const readers = { silo: client.telemetry.history, field: client.fieldReadings.history };
    const result = await readers[group](deviceId, query);
    const output = outputOf(environment, values.json);
    if (values.csv === true) return environment.print(csvOf(result));
    if (values.chart === true) return output.one(result, () => chartOf(result, environment.terminal));
    if (output.isJson) return output.one(result, () => '');
    const isCount = aggregate === 'count' || aggregate === 'bad_count';
    const shownUnit = isCount ? undefined : (result.unit ?? readings[result.sensor]?.unit);
    output.list(columnsOf(result, shownUnit), result.points, NO_READINGS);
  });
};

const csvOf = ({ points }: SensorHistory): string =>
  [csvLine(['timestamp', 'value']), ...points.map(({ timestamp: at, value }) => csvLine([at, value]))].join(
    '\n',
  );

const columnsOf = ({ sensor }: SensorHistory, unit: string | undefined): readonly Column<HistoryPoint>[] => [
  { title: 'TIME', text: ({ timestamp: at, date }) => date ?? at },
  {
    title: sensor.toUpperCase(),
    text: ({ value }) =>
      unit === undefined ? numberText(value) : readingText({ value, unit, quality: 'good' }),
  },
];

interface ChartTerminal {
  readonly columns: number | null;
  readonly isUtf8: boolean;
}

/** The chart of a history; a time without readings is a gap. */
function chartOf({ sensor, interval, points }: SensorHistory, { columns, isUtf8 }: ChartTerminal): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return NO_READINGS;
  const startMs = Date.parse(first.timestamp);
  const stepMs = INTERVAL_MS[interval];
  const count = Math.round((Date.parse(last.timestamp) - startMs) / stepMs) + 1;
  const values: (number | null)[] = new Array(Math.min(count, CHART_POINTS_MAX)).fill(null);
  for (const { timestamp: at, value } of points) {
    const index = Math.round((Date.parse(at) - startMs) / stepMs);
    values[Math.floor((index * values.length) / count)] = value;
  }
  const width = columns ?? CHART_COLUMNS_DEFAULT;
  const label = (value: number) => value.toFixed(1);
  return `${sensor}, ${interval}\n${chart(values, { width, isUtf8, label })}\n${first.timestamp}\n${last.timestamp}`;
}
