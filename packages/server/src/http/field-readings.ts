import {
  checkFieldHistoryQuery,
  checkTrackQuery,
  TRACK_POINTS_MAX,
  type Track,
} from '@granary/contract/field-readings';
import { toIso } from '@granary/contract/time';
import {
  environmentalReading,
  fieldHistoryPoints,
  locationReading,
  planFieldHistory,
  planTrack,
  trackPoints,
} from '@granary/core/field-readings';
import type { FastifyInstance } from 'fastify';
import { accept, readLimit, success } from './answers.ts';
import { sendHistory } from './history.ts';
import { type DevicePath, knownDevice, knownTo } from './known-device.ts';
import type { RouteParts } from './parts.ts';

export function fieldReadingRoutes(app: FastifyInstance, { store, now }: RouteParts): void {
  const read = { config: { scope: 'read' } } as const;

  app.get<DevicePath>('/devices/:device_id/location', read, async (request) => {
    const { latest, reportingIntervalMs } = knownTo(
      request,
      'field',
      await store.telemetry.current(request.params.device_id),
    );
    return success(locationReading(latest, { reportingIntervalMs }, now()));
  });

  app.get<DevicePath>('/devices/:device_id/sensors/environmental', read, async (request) => {
    const { latest, reportingIntervalMs } = knownTo(
      request,
      'field',
      await store.telemetry.current(request.params.device_id),
    );
    return success(environmentalReading(latest, { reportingIntervalMs }, now()));
  });

  app.get<DevicePath>('/devices/:device_id/sensors/history', read, async (request, reply) => {
    const { deviceNo } = await knownDevice(request, store, 'field');
    const plan = planFieldHistory(accept(checkFieldHistoryQuery, request.query, 'query'), now());
    const { sensor, interval, fromMs, toMs } = plan;
    const buckets = await store.telemetry.history({ deviceNo, channel: sensor, interval, fromMs, toMs });
    const points = fieldHistoryPoints(buckets, plan);
    return sendHistory(request, reply, { sensor, interval, points });
  });

  app.get<DevicePath>('/devices/:device_id/track', read, async (request) => {
    const { deviceNo } = await knownDevice(request, store, 'field');
    const query = accept(checkTrackQuery, request.query, 'query');
    const { fromMs, toMs } = planTrack(query, now());
    const limit = readLimit(query.limit, TRACK_POINTS_MAX);
    const places = await store.telemetry.track({ deviceNo, fromMs, toMs, limit });
    return success<Track>({ from: toIso(fromMs), to: toIso(toMs), points: trackPoints(places, limit) });
  });
}
