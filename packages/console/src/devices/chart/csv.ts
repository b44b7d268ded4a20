import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { SensorHistory } from './load-history.ts';

/** What the chart shows, one line for each interval of each sensor; times are the beginnings of the intervals in UTC. */
export function csvOf(histories: readonly SensorHistory[]): string {
  const lines = histories.flatMap(({ sensor, interval, buckets }) =>
    buckets.map(({ atMs, mean, min, max }) =>
      [
        new Date(atMs - INTERVAL_MS[interval] / 2).toISOString(),
        interval,
        sensor.id,
        cell(sensor.unit),
        mean,
        min,
        max,
      ].join(','),
    ),
  );
  return `${['timestamp,interval,sensor,unit,mean,min,max', ...lines].join('\r\n')}\r\n`;
}

/** A spreadsheet would compute a text that begins like a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
