import {
  checkFieldHistoryQuery,
  checkTrackQuery,
  TRACK_POINTS_MAX,
  type Track,
} from '@granary/contract/telemetry/field-readings';
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
import { type DevicePath, findDevice, requireAccess } from '../devices/find-device.ts';
import { accept, readLimit, success } from '../protocol/answers.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { sendHistory } from './history.ts';

export function fieldReadingRoutes(routes: FastifyInstance, { app, now }: RouteDependencies): void {
  const read = { config: { scope: 'read' } } as const;

  routes.get<DevicePath>('/devices/:device_id/location', read, async (request) => {
    const { latest, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await app.telemetry.current(request.params.device_id),
    );
    return success(locationReading(latest, { reportingIntervalMs }, now()));
  });

  routes.get<DevicePath>('/devices/:device_id/sensors/environmental', read, async (request) => {
    const { latest, reportingIntervalMs } = requireAccess(
      request,
      'field',
      await app.telemetry.current(request.params.device_id),
    );
    return success(environmentalReading(latest, { reportingIntervalMs }, now()));
  });

  routes.get<DevicePath>('/devices/:device_id/sensors/history', read, async (request, reply) => {
    const { deviceNo } = await findDevice(request, app, 'field');
    const plan = planFieldHistory(accept(checkFieldHistoryQuery, request.query, 'query'), now());
    const { sensor, interval, fromMs, toMs } = plan;
    const buckets = await app.telemetry.history({ deviceNo, channel: sensor, interval, fromMs, toMs });
    const points = fieldHistoryPoints(buckets, plan);
    return sendHistory(request, reply, { sensor, interval, points });
  });

  routes.get<DevicePath>('/devices/:device_id/track', read, async (request) => {
    const { deviceNo } = await findDevice(request, app, 'field');
    const query = accept(checkTrackQuery, request.query, 'query');
    const { fromMs, toMs } = planTrack(query, now());
    const limit = readLimit(query.limit, TRACK_POINTS_MAX);
    const places = await app.telemetry.track({ deviceNo, fromMs, toMs, limit });
    return success<Track>({ from: toIso(fromMs), to: toIso(toMs), points: trackPoints(places, limit) });
  });
}
