import { endpoints } from '@granary/contract/endpoints/endpoints';
import { PROFILES } from '@granary/contract/profiles/profiles';
import { TRACK_POINTS_MAX, type Track } from '@granary/contract/telemetry/field-readings';
import { toIso } from '@granary/contract/time';
import {
  environmentalReading,
  fieldHistoryPoints,
  locationReading,
  planFieldHistory,
  planTrack,
  trackPoints,
} from '@granary/core/telemetry/field-readings';
import type { FastifyInstance } from 'fastify';
import { findDevice, requireAccess } from '../devices/find-device.ts';
import { readLimit, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { sendHistory } from './history.ts';

export function fieldReadingRoutes(routes: FastifyInstance, { app, now }: RouteDependencies): void {
  const { location, environment, history, track } = endpoints.telemetry.field;

  register(routes, location, async (request) => {
    const { latest, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await app.telemetry.current(request.params.device_id),
    );
    return success(locationReading(latest, { reportingIntervalMs }, now()));
  });

  register(routes, environment, async (request) => {
    const { latest, profile, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await app.telemetry.current(request.params.device_id),
    );
    const { channels } = PROFILES[profile];
    return success(environmentalReading(latest, channels, { reportingIntervalMs }, now()));
  });

  register(routes, history, async (request, reply, read) => {
    const { deviceNo, profile } = await findDevice(request, app, 'field');
    const plan = planFieldHistory(read.query(request), PROFILES[profile].channels, now());
    const { sensor, interval, fromMs, toMs } = plan;
    const buckets = await app.telemetry.history({ deviceNo, channel: sensor, interval, fromMs, toMs });
    const points = fieldHistoryPoints(buckets, plan);
    return sendHistory(request, reply, { sensor, interval, points });
  });

  register(routes, track, async (request, _reply, read) => {
    const { deviceNo } = await findDevice(request, app, 'field');
    const query = read.query(request);
    const { fromMs, toMs } = planTrack(query, now());
    const limit = readLimit(query.limit, TRACK_POINTS_MAX);
    const places = await app.telemetry.track({ deviceNo, fromMs, toMs, limit });
    return success<Track>({ from: toIso(fromMs), to: toIso(toMs), points: trackPoints(places, limit) });
  });
}
