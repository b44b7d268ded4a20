import type { StoredDevice } from '@granary/app/device-rows';
import { whileRequestLasts } from '@granary/common/request-time';
import { LATE } from '@granary/common/within';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { ISSUES_MAX, issueOf, pointerName } from '@granary/contract/input/validation-issues';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { sentence } from '@granary/contract/sentences/codes';
import type { DeviceTelemetry } from '@granary/contract/telemetry/telemetry';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import { currentReadings, declaredReadings } from '@granary/core/telemetry/current-readings';
import { planSiloHistory } from '@granary/core/telemetry/history';
import {
  acceptReading,
  isFault,
  type Reading,
  type ReadingSource,
  type ReadingWindow,
  undeclaredIn,
} from '@granary/core/telemetry/readings';
import { outcomeUnknown } from '@granary/store/errors';
import type { FastifyInstance } from 'fastify';
import { sensorsById } from '../../devices/declared-sensors.ts';
import { readingWindow, receptionOf } from '../../devices/ingest/telemetry-intake.ts';
import { capacityOf, findDevice, requireAccess } from '../devices/find-device.ts';
import { accept, success } from '../protocol/answers.ts';
import { register, registerLong } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { localDaysOf, sendHistory } from './history.ts';

export function siloTelemetryRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'directory' | 'now'>,
): void {
  const { reads, settings, now } = parts;
  register(routes, endpoints.telemetry.silo.current, async ({ request }) => {
    const current = requireAccess(
      request,
      'silo',
      await reads(request).telemetry.current(request.params.device_id),
    );
    const { latest, declared, reportingIntervalMs } = current;
    const silo = { reportingIntervalMs, capacityKg: capacityOf(current) };
    const nowMs = now();
    return success({
      ...currentReadings(latest, silo, nowMs),
      ...declaredReadings(declared, latest, silo, nowMs),
    });
  });

  registerLong(routes, endpoints.telemetry.silo.history, async ({ request, reply, read }) => {
    const device = await findDevice(request, parts, 'silo');
    const sensors = sensorsOf(device.profile, device.sensorDocument);
    const query = read.query(request);
    const nowMs = now();
    const plan = planSiloHistory(query, sensors, nowMs);
    const days = localDaysOf(query, plan, settings, nowMs);
    return await sendHistory(request, reply, reads(request), device, plan, days);
  });
}

export function ingestRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'pipeline' | 'directory' | 'idempotency' | 'now'>,
  group: DeviceGroup,
): void {
  const { pipeline, idempotency, settings, now } = parts;
  register(routes, endpoints.telemetry[group].send, async (exchange) => {
    const { request } = exchange;
    const device = await findDevice(request, parts, group);
    const sent = accept(PROFILES[device.profile].checkTelemetry, request.body, 'telemetry');
    const nowMs = now();
    const window = readingWindow(nowMs, settings.rawRetentionDays);
    const readings = acceptAll(sourceOf(device), sent, window);
    if (!pipeline.hasRoom()) throw new Refusal('ingest_busy', 'too many readings are waiting to be written');
    const { deviceNo } = device;
    const newestMs = Math.max(...readings.map(({ tsMs }) => tsMs));
    const reception = receptionOf(null, readings, Number.isFinite(newestMs) ? newestMs - nowMs : null);
    if (request.headers['idempotency-key'] === undefined) {
      const stored = pipeline.submit({ deviceNo, seenAtMs: nowMs, readings, rejections: [], reception });
      if ((await whileRequestLasts(request.time, stored)) === LATE)
        throw outcomeUnknown('the readings are not written yet');
    } else {
      // An idempotent request is stored with its answer, so it cannot share a transaction with others.
      const seen = [{ deviceNo, atMs: nowMs }];
      await idempotency.once(exchange, (slices) =>
        slices.telemetry.append({
          readings,
          seen,
          rejections: [],
          receptions: reception === null ? [] : [{ deviceNo, atMs: nowMs, ...reception }],
        }),
      );
    }
    return success({ stored: Array.isArray(sent) ? sent.length : 1 });
  });
}

const sourceOf = ({ deviceNo, capacityKg, sensorDocument }: StoredDevice): ReadingSource => ({
  deviceNo,
  capacityKg,
  declared: sensorsById(sensorDocument),
});

/** Over HTTP the caller gets an answer, so one invalid reading refuses the whole body. */
function acceptAll(source: ReadingSource, sent: DeviceTelemetry, window: ReadingWindow): Reading[] {
  const readings: Reading[] = [];
  const faults: ValidationIssue[] = [];
  const isArray = Array.isArray(sent);
  let index = -1;
  for (const one of isArray ? sent : [sent]) {
    index++;
    if (faults.length >= ISSUES_MAX) break;
    const result = acceptReading(source, one, window);
    if (!isFault(result)) {
      for (const reading of result) readings.push(reading);
      // Most readings have no values of declared sensors.
      if (one.sensors === undefined) continue;
    }
    const found = isFault(result) ? [result] : undeclaredIn(source, one).map(undeclaredFault);
    for (const fault of found) faults.push(isArray ? { ...fault, path: `/${index}${fault.path}` } : fault);
  }
  if (faults.length > 0) throw new Refusal('invalid_input', 'the telemetry is not valid', faults);
  return readings;
}

const undeclaredFault = (sensorId: string): ValidationIssue =>
  issueOf(`/sensors/${pointerName(sensorId)}`, sentence('is_no_declared_sensor'));
