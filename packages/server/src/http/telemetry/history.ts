import type { ReadSlices } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/device-rows';
import type { HistoryPoint, HistoryQuery } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { type HistoryPlan, historyPoints } from '@granary/core/telemetry/history';
import { type LocalDays, planLocalDays } from '@granary/core/telemetry/local-days';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bucketPages } from '../../background/exports/history.ts';
import type { Settings } from '../../process/settings.ts';
import { nextPart } from '../access/request-turns.ts';
import { preferredType } from '../protocol/accept.ts';
import { success } from '../protocol/answers.ts';

type SeriesDevice = Pick<StoredDevice, 'deviceNo' | 'capacityKg'>;

/**
 * Answers the buckets of the plan as points, in JSON, or in CSV if the caller prefers it; `days` are the days of a time zone, used
 * instead of those of UTC. The points are read and written in parts, because 10,000 of them would hold a stop for a tenth of a second.
 */
export async function sendHistory(
  request: FastifyRequest,
  reply: FastifyReply,
  reads: ReadSlices,
  device: SeriesDevice,
  plan: HistoryPlan,
  days: LocalDays | null,
): Promise<FastifyReply> {
  reply.header('vary', 'accept');
  const type = preferredType(request.headers.accept, ['application/json', 'text/csv']);
  const format = type === 'text/csv' ? csvOf(plan, days) : jsonOf(plan, days);
  const { interval, fromMs, toMs, sensor } = plan;
  const series = { deviceNo: device.deviceNo, lane: sensor.lane };
  const parts: string[] = [];
  for await (const buckets of bucketPages(reads, series, { interval, fromMs, toMs, days })) {
    // The database may have answered several readers in this turn.
    await nextPart(request);
    const points = historyPoints(buckets, plan, device.capacityKg);
    if (points.length > 0)
      parts.push(points.map((point) => format.point(dated(point, days))).join(format.between));
  }
  await nextPart(request);
  return reply.type(format.mediaType).send(format.whole(parts.join(format.between)));
}

const dated = (point: HistoryPoint, days: LocalDays | null): HistoryPoint =>
  days === null ? point : { ...point, date: days.zone.dateAt(Date.parse(point.timestamp)) };

interface HistoryFormat {
  readonly mediaType: string;
  readonly between: string;
  point(point: HistoryPoint): string;
  whole(points: string): string;
}

function jsonOf({ name, interval, unit }: HistoryPlan, days: LocalDays | null): HistoryFormat {
  const shown = {
    sensor: name,
    interval,
    ...(unit === null ? {} : { unit }),
    ...(days && { tz: days.zone.name }),
  };
  const start = JSON.stringify(success({ ...shown, points: [] })).slice(0, -']}}'.length);
  return {
    mediaType: 'application/json; charset=utf-8',
    between: ',',
    point: (point) => JSON.stringify(point),
    whole: (points) => `${start}${points}]}}`,
  };
}

function csvOf({ hasRange }: HistoryPlan, days: LocalDays | null): HistoryFormat {
  const columns = ['timestamp', 'value', ...(hasRange ? ['min', 'max'] : []), ...(days ? ['date'] : [])];
  return {
    mediaType: 'text/csv; charset=utf-8',
    between: '',
    point: ({ timestamp, value, min, max, date }) => {
      const cells = [timestamp, value, ...(hasRange ? [min, max] : []), ...(date ? [date] : [])];
      return `${cells.join(',')}\r\n`;
    },
    whole: (points) => `${columns.join(',')}\r\n${points}`,
  };
}

/** The days of the time zone of the query; `null` without one. */
export const localDaysOf = (
  { tz }: HistoryQuery,
  plan: HistoryPlan,
  { fiveMinuteRetentionDays }: Settings,
  nowMs: number,
): LocalDays | null =>
  tz === undefined ? null : planLocalDays({ ...plan, tz }, nowMs - fiveMinuteRetentionDays * DAY_MS);
