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
import type { Define } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { choice, given, withAccess, withExamples } from '../../frame/options.ts';
import { timeOrAge, timestamp } from '../../frame/times.ts';
import { chart } from '../../terminal/chart.ts';
import { outputOf } from '../../terminal/output.ts';
import { type Column, csvLine } from '../../terminal/table.ts';
import { numberText, readingText } from '../devices/device-texts.ts';

interface Values
  extends AccessValues,
    Pick<HistoryQuery, 'from' | 'to' | 'interval' | 'aggregate' | 'unit' | 'tz'> {
  readonly since?: string;
  readonly csv?: boolean;
  readonly chart?: boolean;
}

const CHART_COLUMNS_DEFAULT = 80;
const CHART_POINTS_MAX = 2_000;
/** What a device reports under another name than that of its history, and how to ask for it. */
const HISTORY_NAMES: Readonly<Record<DeviceGroup, Readonly<Record<string, string>>>> = {
  silo: { weight: 'level --unit kg' },
  field: {},
};
const NO_READINGS = 'There are no readings in this time.';

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

/** A time without readings stays a gap. */
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
