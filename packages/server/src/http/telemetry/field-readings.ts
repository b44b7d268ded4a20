import { endpoints } from '@granary/contract/endpoints/endpoints';
import { TRACK_POINTS_MAX, type Track } from '@granary/contract/telemetry/field-readings';
import { toIso } from '@granary/contract/time';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import { standardSensorsOf } from '@granary/core/sensors/standard-sensors';
import { declaredReadings } from '@granary/core/telemetry/current-readings';
import {
  environmentalReading,
  locationReading,
  planTrack,
  trackPoints,
} from '@granary/core/telemetry/field-readings';
import { planFieldHistory } from '@granary/core/telemetry/history';
import type { FastifyInstance } from 'fastify';
import { findDevice, requireAccess } from '../devices/find-device.ts';
import { readLimit, success } from '../protocol/answers.ts';
import { register, registerLong } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { localDaysOf, sendHistory } from './history.ts';

export function fieldReadingRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'directory' | 'now'>,
): void {
  const { reads, settings, now } = parts;
  const { location, environment, history, track } = endpoints.telemetry.field;

  register(routes, location, async ({ request }) => {
    const { latest, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await reads(request).telemetry.current(request.params.device_id),
    );
    return success(locationReading(latest, { reportingIntervalMs }, now()));
  });

  register(routes, environment, async ({ request }) => {
    const { latest, profile, declared, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await reads(request).telemetry.current(request.params.device_id),
    );
    const nowMs = now();
    const device = { reportingIntervalMs };
    return success({
      ...environmentalReading(latest, standardSensorsOf(profile), device, nowMs),
      ...declaredReadings(declared, latest, device, nowMs),
    });
  });

  registerLong(routes, history, async ({ request, reply, read }) => {
    const device = await findDevice(request, parts, 'field');
    const query = read.query(request);
    const nowMs = now();
    const plan = planFieldHistory(query, sensorsOf(device.profile, device.sensorDocument), nowMs);
    const days = localDaysOf(query, plan, settings, nowMs);
    return await sendHistory(request, reply, reads(request), device, plan, days);
  });

  registerLong(routes, track, async ({ request, read }) => {
    const { deviceNo } = await findDevice(request, parts, 'field');
    const query = read.query(request);
    const { fromMs, toMs } = planTrack(query, now());
    const limit = readLimit(query.limit, TRACK_POINTS_MAX);
    const places = await reads(request).telemetry.track({ deviceNo, fromMs, toMs, limit });
    return success<Track>({ from: toIso(fromMs), to: toIso(toMs), points: trackPoints(places, limit) });
  });
}
