import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { ExportFormat } from '@granary/contract/exports';
import { DAY_MS } from '@granary/contract/time';
import { planRange } from '@granary/core/telemetry/history';
import { planLocalDays } from '@granary/core/telemetry/local-days';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExportPages } from '../background/exports/export-runner.ts';
import { devicesToExport } from '../background/exports/exported-devices.ts';
import { historyPages } from '../background/exports/history.ts';
import { rawReadingPages } from '../background/exports/raw-readings.ts';
import { type RowFormat, rowFormat } from '../background/exports/row-format.ts';
import { credentialOf, limitsOf } from './access/credentials.ts';
import { preferredType } from './protocol/accept.ts';
import { registerLong } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function exportRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'exports' | 'now'>,
): void {
  const { reads, exports, settings, now } = parts;
  /** Everything that can be refused is found by `start`, before the answer begins. */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    format: RowFormat,
    start: () => Promise<ExportPages>,
  ): Promise<FastifyReply> => {
    const caller = { keyId: request.caller.keyId, credential: credentialOf(request) };
    const stream = await exports.open(caller, start);
    return reply.header('vary', 'accept').type(format.contentType).send(stream);
  };

  registerLong(routes, endpoints.exports.readings, async ({ request, reply, read }) => {
    const query = read.query(request);
    const nowMs = now();
    const range = planRange(query, nowMs);
    const format = rowFormat(formatOf(request, query.format), false);
    return await send(request, reply, format, async () => {
      const devices = await devicesToExport(reads(request), limitsOf(request), query, nowMs);
      return rawReadingPages(reads(request), devices, range, format);
    });
  });

  registerLong(routes, endpoints.exports.history, async ({ request, reply, read }) => {
    const { tz, interval = '1h', aggregate = 'avg', ...query } = read.query(request);
    const nowMs = now();
    const wanted = planRange(query, nowMs);
    const format = rowFormat(formatOf(request, query.format), tz !== undefined);
    return await send(request, reply, format, async () => {
      // A range of all time must not cost more than what is stored.
      const stored = (await reads(request).exports.bucketBounds(interval)) ?? { fromMs: 0, toMs: 0 };
      const fromMs = Math.max(wanted.fromMs, stored.fromMs);
      const toMs = Math.max(fromMs, Math.min(wanted.toMs, stored.toMs));
      const fiveMinutesFromMs = nowMs - settings.fiveMinuteRetentionDays * DAY_MS;
      const days = tz === undefined ? null : planLocalDays({ interval, tz, fromMs, toMs }, fiveMinutesFromMs);
      const devices = await devicesToExport(reads(request), limitsOf(request), query, nowMs);
      return historyPages(reads(request), devices, { interval, aggregate, fromMs, toMs, days }, format);
    });
  });
}

function formatOf({ headers }: FastifyRequest, wanted: ExportFormat | undefined): ExportFormat {
  const type = preferredType(headers.accept, ['text/csv', 'application/x-ndjson']);
  return wanted ?? (type === 'text/csv' ? 'csv' : 'ndjson');
}
