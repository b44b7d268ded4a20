import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { SensorHistory } from './load-history.ts';
import type { TimeRange } from './range.ts';

/** What the chart shows, one line for each interval of each sensor; times are the beginnings of the intervals in UTC. */
export function csvOf(histories: readonly SensorHistory[]): string {
  const lines = histories.flatMap(({ sensor, interval, buckets }) =>
    buckets.map(({ atMs, mean, min, max }) =>
      [
        new Date(atMs - INTERVAL_MS[interval] / 2).toISOString(),
        interval,
        sensor.id,
        cell(sensor.unit),
        rounded(mean),
        rounded(min),
        rounded(max),
      ].join(','),
    ),
  );
  return `${['timestamp,interval,sensor,unit,mean,min,max', ...lines].join('\r\n')}\r\n`;
}

/** No sensor measures finer, and more digits are those of the computation. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The name of the file tells the device, the sensors and the days. */
export function csvName(deviceId: string, histories: readonly SensorHistory[], range: TimeRange): string {
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const sensors = histories.map(({ sensor }) => sensor.id).join('+');
  return `${deviceId}_${sensors}_${day(range.fromMs)}_${day(range.toMs)}.csv`;
}

/** A spreadsheet would compute a text that begins like a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
