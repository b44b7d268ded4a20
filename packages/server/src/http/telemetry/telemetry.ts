import type { DeviceGroup } from '@granary/contract/devices/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { ISSUES_MAX } from '@granary/contract/input/validation-issues';
import { PROFILES } from '@granary/contract/profiles/profiles';
import type { DeviceTelemetry } from '@granary/contract/telemetry/telemetry';
import { channelOf, historyPoints, planHistory } from '@granary/core/telemetry/history';
import {
  acceptReading,
  currentReadings,
  isFault,
  type Reading,
  type ReadingSource,
  type ReadingWindow,
} from '@granary/core/telemetry/readings';
import type { FastifyInstance } from 'fastify';
import { readingWindow } from '../../ingest/uplink.ts';
import { capacityOf, findDevice, requireAccess } from '../devices/find-device.ts';
import { accept, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { sendHistory } from './history.ts';

export function siloTelemetryRoutes(routes: FastifyInstance, { app, now }: RouteDependencies): void {
  register(routes, endpoints.telemetry.silo.current, async (request) => {
    const current = requireAccess(request, 'silo', await app.telemetry.current(request.params.device_id));
    const { latest, reportingIntervalMs } = current;
    const silo = { reportingIntervalMs, capacityKg: capacityOf(current) };
    return success(currentReadings(latest, silo, now()));
  });

  register(routes, endpoints.telemetry.silo.history, async (request, reply, read) => {
    const device = await findDevice(request, app, 'silo');
    const plan = planHistory(read.query(request), now());
    const { sensor, interval, fromMs, toMs } = plan;
    const channel = channelOf(sensor);
    const buckets = await app.telemetry.history({
      deviceNo: device.deviceNo,
      channel,
      interval,
      fromMs,
      toMs,
    });
    const points = historyPoints(buckets, plan, capacityOf(device));
    return sendHistory(request, reply, { sensor, interval, points });
  });
}

export function ingestRoutes(routes: FastifyInstance, parts: RouteDependencies, group: DeviceGroup): void {
  const { app, pipeline, idempotency, settings, now } = parts;
  register(routes, endpoints.telemetry[group].send, async (request, reply) => {
    const device = await findDevice(request, app, group);
    const sent = accept(PROFILES[device.profile].checkTelemetry, request.body, 'telemetry');
    const nowMs = now();
    const readings = acceptAll(device, sent, readingWindow(nowMs, settings.rawRetentionDays));
    if (!pipeline.hasRoom()) throw new Refusal('ingest_busy', 'too many readings are waiting to be written');
    const { deviceNo } = device;
    if (request.headers['idempotency-key'] === undefined) {
      await pipeline.submit({ deviceNo, seenAtMs: nowMs, readings, rejections: [] });
    } else {
      // An idempotent request is stored with its answer, so it cannot share a transaction with others.
      const seen = [{ deviceNo, atMs: nowMs }];
      await idempotency.once(request, reply, (slices) =>
        slices.telemetry.append({ readings, seen, rejections: [] }),
      );
    }
    return success({ stored: readings.length });
  });
}

/** Over HTTP the caller gets an answer, so one invalid reading refuses the whole body. */
function acceptAll(source: ReadingSource, sent: DeviceTelemetry, window: ReadingWindow): Reading[] {
  const readings: Reading[] = [];
  const faults: ValidationIssue[] = [];
  const isArray = Array.isArray(sent);
  for (const [index, one] of (isArray ? sent : [sent]).entries()) {
    if (faults.length >= ISSUES_MAX) break;
    const result = acceptReading(source, one, window);
    if (!isFault(result)) readings.push(result);
    else faults.push(isArray ? { ...result, path: `/${index}${result.path}` } : result);
  }
  if (faults.length > 0) throw new Refusal('invalid_input', 'the telemetry is not valid', faults);
  return readings;
}
