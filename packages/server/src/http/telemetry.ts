import type { DeviceKind } from '@granary/contract/channels';
import { Refusal } from '@granary/contract/errors';
import { FAULTS_MAX } from '@granary/contract/faults';
import type { Fault } from '@granary/contract/schema';
import { checkHistoryQuery, checkTelemetry, type DeviceTelemetry } from '@granary/contract/telemetry';
import { channelOf, historyPoints, planHistory } from '@granary/core/history';
import {
  acceptReading,
  currentReadings,
  isFault,
  type Reading,
  type ReadingSource,
  type ReadingWindow,
} from '@granary/core/telemetry';
import type { FastifyInstance } from 'fastify';
import { readingWindow } from '../ingest/uplink.ts';
import { accept, success } from './answers.ts';
import { sendHistory } from './history.ts';
import { capacityOf, type DevicePath, knownDevice, knownTo } from './known-device.ts';
import type { RouteParts } from './parts.ts';

export function siloTelemetryRoutes(app: FastifyInstance, { store, now }: RouteParts): void {
  app.get<DevicePath>('/devices/:device_id/sensors', { config: { scope: 'read' } }, async (request) => {
    const current = knownTo(request, 'silo', await store.telemetry.current(request.params.device_id));
    const { latest, reportingIntervalMs } = current;
    const silo = { reportingIntervalMs, capacityKg: capacityOf(current) };
    return success(currentReadings(latest, silo, now()));
  });

  app.get<DevicePath>(
    '/devices/:device_id/sensors/history',
    { config: { scope: 'read' } },
    async (request, reply) => {
      const device = await knownDevice(request, store, 'silo');
      const plan = planHistory(accept(checkHistoryQuery, request.query, 'query'), now());
      const { sensor, interval, fromMs, toMs } = plan;
      const channel = channelOf(sensor);
      const buckets = await store.telemetry.history({
        deviceNo: device.deviceNo,
        channel,
        interval,
        fromMs,
        toMs,
      });
      const points = historyPoints(buckets, plan, capacityOf(device));
      return sendHistory(request, reply, { sensor, interval, points });
    },
  );
}

export function ingestRoutes(app: FastifyInstance, parts: RouteParts, kind: DeviceKind): void {
  const { store, pipeline, idempotency, evaluator, settings, now } = parts;
  app.post<DevicePath>(
    '/devices/:device_id/telemetry',
    { config: { scope: 'ingest' } },
    async (request, reply) => {
      const device = await knownDevice(request, store, kind);
      const sent = accept(checkTelemetry[kind], request.body, 'telemetry');
      const nowMs = now();
      const readings = acceptAll(device, sent, readingWindow(nowMs, settings.rawRetentionDays));
      if (!pipeline.hasRoom())
        throw new Refusal('ingest_busy', 'too many readings are waiting to be written');
      const { deviceNo } = device;
      if (request.headers['idempotency-key'] === undefined) {
        await pipeline.submit({ deviceNo, seenAtMs: nowMs, readings, rejections: [] });
      } else {
        // Kept together with its own answer, so it cannot share a transaction with others.
        const seen = [{ deviceNo, atMs: nowMs }];
        const { result } = await idempotency.once(request, reply, (slices) =>
          slices.telemetry.append({ readings, seen, rejections: [] }),
        );
        evaluator.wake(result.toEvaluate);
      }
      return success({ stored: readings.length });
    },
  );
}

/** Over HTTP the caller can be told, so one bad reading refuses the whole body. */
function acceptAll(source: ReadingSource, sent: DeviceTelemetry, window: ReadingWindow): Reading[] {
  const readings: Reading[] = [];
  const faults: Fault[] = [];
  const isArray = Array.isArray(sent);
  for (const [index, one] of (isArray ? sent : [sent]).entries()) {
    if (faults.length >= FAULTS_MAX) break;
    const result = acceptReading(source, one, window);
    if (!isFault(result)) readings.push(result);
    else faults.push(isArray ? { ...result, path: `/${index}${result.path}` } : result);
  }
  if (faults.length > 0) throw new Refusal('invalid_input', 'the telemetry is not valid', faults);
  return readings;
}
