import { Readable } from 'node:stream';
import type { App } from '@granary/app/app';
import type { HistoryPoint, Interval } from '@granary/contract/telemetry/telemetry';
import { type HistoryPlan, historyPoints } from '@granary/core/telemetry/history';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../protocol/accept.ts';
import { success } from '../protocol/answers.ts';

interface History {
  readonly sensor: string;
  readonly interval: Interval;
  readonly points: readonly HistoryPoint[];
}

/** The buckets of the plan as points for the caller. */
export async function readHistory(
  app: App,
  { deviceNo, capacityKg }: Pick<StoredDevice, 'deviceNo' | 'capacityKg'>,
  plan: HistoryPlan,
): Promise<History> {
  const { name, sensor, interval, fromMs, toMs } = plan;
  const buckets = await app.telemetry.history({ deviceNo, lane: sensor.lane, interval, fromMs, toMs });
  return { sensor: name, interval, points: historyPoints(buckets, plan, capacityKg) };
}

/** Answers JSON, or CSV if the caller prefers it. */
export function sendHistory(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  history: History,
): FastifyReply {
  reply.header('vary', 'accept');
  const type = preferredType(headers.accept, ['application/json', 'text/csv']);
  if (type === 'application/json') return reply.send(success(history));
  return reply.type('text/csv; charset=utf-8').send(Readable.from(csvLines(history.points)));
}

const LINES_PER_CHUNK = 1_000;

function* csvLines(points: readonly HistoryPoint[]): Generator<string> {
  yield 'timestamp,value\r\n';
  for (let start = 0; start < points.length; start += LINES_PER_CHUNK) {
    const chunk = points.slice(start, start + LINES_PER_CHUNK);
    yield chunk.map(({ timestamp, value }) => `${timestamp},${value}\r\n`).join('');
  }
}
