import { Readable } from 'node:stream';
import type { AppReads } from '@granary/app/app';
import type {
  ContentUnit,
  HistoryPoint,
  HistoryQuery,
  Interval,
} from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { type HistoryPlan, historyPoints } from '@granary/core/telemetry/history';
import { type LocalDays, planLocalDays } from '@granary/core/telemetry/local-days';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bucketPages } from '../../exports/bucket-pages.ts';
import type { Settings } from '../../settings.ts';
import { preferredType } from '../protocol/accept.ts';
import { success } from '../protocol/answers.ts';

interface History {
  readonly sensor: string;
  readonly interval: Interval;
  readonly unit?: ContentUnit;
  readonly tz?: string;
  readonly points: HistoryPoint[];
}

type SeriesDevice = Pick<StoredDevice, 'deviceNo' | 'capacityKg'>;

/** The buckets of the plan as points for the caller; `days` are those of a time zone instead of those of UTC. */
export async function readHistory(
  app: AppReads,
  device: SeriesDevice,
  plan: HistoryPlan,
  days: LocalDays | null,
): Promise<History> {
  const { name, sensor, interval, unit, fromMs, toMs } = plan;
  const series = { deviceNo: device.deviceNo, lane: sensor.lane };
  const shown = { sensor: name, interval, ...(unit === null ? {} : { unit }) };
  if (days === null) {
    const buckets = await app.telemetry.history({ ...series, interval, fromMs, toMs });
    return { ...shown, points: historyPoints(buckets, plan, device.capacityKg) };
  }
  const points: HistoryPoint[] = [];
  for await (const buckets of bucketPages(app, series, { interval, fromMs, toMs, days })) {
    for (const point of historyPoints(buckets, plan, device.capacityKg)) {
      points.push({ ...point, date: days.zone.dateAt(Date.parse(point.timestamp)) });
    }
    // Days are made of many buckets, so other requests get their turn in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ...shown, tz: days.zone.name, points };
}

/** The days of the time zone of the query; `null` without one. */
export const localDaysOf = (
  { tz }: HistoryQuery,
  plan: HistoryPlan,
  { fiveMinuteRetentionDays }: Settings,
  nowMs: number,
): LocalDays | null =>
  tz === undefined ? null : planLocalDays({ ...plan, tz }, nowMs - fiveMinuteRetentionDays * DAY_MS);

/** Answers JSON, or CSV if the caller prefers it. */
export function sendHistory(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  history: History,
): FastifyReply {
  reply.header('vary', 'accept');
  const type = preferredType(headers.accept, ['application/json', 'text/csv']);
  if (type === 'application/json') return reply.send(success(history));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(csvLines(history)));
}

const LINES_PER_CHUNK = 1_000;

function* csvLines({ points, tz }: History): Generator<string> {
  yield tz === undefined ? 'timestamp,value\r\n' : 'timestamp,value,date\r\n';
  for (let start = 0; start < points.length; start += LINES_PER_CHUNK) {
    const chunk = points.slice(start, start + LINES_PER_CHUNK);
    yield chunk
      .map(({ timestamp, value, date }) => `${[timestamp, value, ...(date ? [date] : [])]}\r\n`)
      .join('');
  }
}
