import { type Alert, checkAcknowledgement, checkAlertQuery, checkShelving } from '@granary/contract/alerts';
import type { DeviceKind } from '@granary/contract/channels';
import { Refusal } from '@granary/contract/errors';
import { type AlertState, alertRecord } from '@granary/core/alerts';
import type { FastifyInstance } from 'fastify';
import { accept, paged, pageOf, success } from './answers.ts';
import { type DevicePath, knownDevice } from './known-device.ts';
import type { RouteParts } from './parts.ts';

interface AlertPath {
  Params: { device_id: string; alert_id: string };
}

export function alertRoutes(app: FastifyInstance, parts: RouteParts, kind: DeviceKind): void {
  const { store, idempotency, feed, now } = parts;

  app.get<DevicePath>('/devices/:device_id/alerts', { config: { scope: 'read' } }, async (request) => {
    const { deviceNo } = await knownDevice(request, store, kind);
    const { status: filter = 'open', ...asked } = accept(checkAlertQuery, request.query, 'query');
    const page = pageOf(asked);
    const alerts = await store.alerts.list({
      deviceNo,
      filter,
      beforeAlertId: page.after,
      limit: page.limit + 1,
    });
    return paged(alerts, page, ({ alertId }) => alertId, shown);
  });

  app.get<AlertPath>(
    '/devices/:device_id/alerts/:alert_id',
    { config: { scope: 'read' } },
    async (request) => {
      const { deviceNo } = await knownDevice(request, store, kind);
      return success(shown(found(await store.alerts.find(deviceNo, request.params.alert_id))));
    },
  );

  app.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/acknowledge',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await knownDevice(request, store, kind);
      const { alertId } = found(await store.alerts.find(deviceNo, request.params.alert_id));
      const by = accept(checkAcknowledgement, request.body, 'acknowledgement');
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.acknowledge({ deviceNo, alertId, by, nowMs }),
      );
      feed.wake();
      return success(shown(found(result)));
    },
  );

  app.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/shelve',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await knownDevice(request, store, kind);
      const { alertId } = found(await store.alerts.find(deviceNo, request.params.alert_id));
      const shelving = accept(checkShelving, request.body, 'shelving');
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.shelve({ deviceNo, alertId, shelving, nowMs }),
      );
      feed.wake();
      return success(shown(found(result)));
    },
  );

  app.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/unshelve',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await knownDevice(request, store, kind);
      const { alertId } = found(await store.alerts.find(deviceNo, request.params.alert_id));
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.unshelve({ deviceNo, alertId, nowMs }),
      );
      feed.wake();
      return success(shown(found(result)));
    },
  );
}

function found(alert: AlertState | undefined): AlertState {
  if (alert !== undefined) return alert;
  throw new Refusal('alert_not_found', 'the device has no such alert');
}

function shown(alert: AlertState): Alert {
  const record = alertRecord(alert);
  if (record === null) throw new Error(`alert ${alert.alertId} is not to be shown yet`);
  return record;
}
