import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { ExportFormat } from '@granary/contract/exports';
import { planRange } from '@granary/core/telemetry/history';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExportPages } from '../exports/export-runner.ts';
import { devicesToExport } from '../exports/exported-devices.ts';
import { rawReadingPages } from '../exports/raw-readings.ts';
import { ROW_FORMATS, type RowFormat } from '../exports/row-format.ts';
import { bearerOf } from './access/auth.ts';
import { limitsOf } from './fleet/selection.ts';
import { preferredType } from './protocol/accept.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

export function exportRoutes(routes: FastifyInstance, { app, exports, now }: RouteDependencies): void {
  /** Everything that can be refused is found by `start`, before the answer begins. */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    format: RowFormat,
    start: () => Promise<ExportPages>,
  ): Promise<FastifyReply> => {
    const stream = await exports.open(bearerOf(request), start);
    return reply.header('vary', 'accept').type(format.contentType).send(stream);
  };

  register(routes, endpoints.exports.readings, async (request, reply, read) => {
    const query = read.query(request);
    const nowMs = now();
    const range = planRange(query, nowMs);
    const format = formatOf(request, query.format);
    return await send(request, reply, format, async () => {
      const devices = await devicesToExport(app, limitsOf(request), query, nowMs);
      return rawReadingPages(app, devices, range, format);
    });
  });
}

function formatOf({ headers }: FastifyRequest, wanted: ExportFormat | undefined): RowFormat {
  if (wanted !== undefined) return ROW_FORMATS[wanted];
  const type = preferredType(headers.accept, ['text/csv', 'application/x-ndjson']);
  return ROW_FORMATS[type === 'text/csv' ? 'csv' : 'ndjson'];
}
