import { type Alert, checkAcknowledgement, checkAlertQuery, checkShelving } from '@granary/contract/alerts';
import { Refusal } from '@granary/contract/errors';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { type AlertState, alertRecord } from '@granary/core/alerts/lifecycle';
import type { FastifyInstance } from 'fastify';
import { type DevicePath, findDevice } from './devices/find-device.ts';
import { accept, paged, pageOf, success } from './protocol/answers.ts';
import type { RouteDependencies } from './route-dependencies.ts';

interface AlertPath {
  Params: { device_id: string; alert_id: string };
}

export function alertRoutes(routes: FastifyInstance, parts: RouteDependencies, kind: DeviceKind): void {
  const { app, idempotency, now } = parts;

  routes.get<DevicePath>('/devices/:device_id/alerts', { config: { scope: 'read' } }, async (request) => {
    const { deviceNo } = await findDevice(request, app, kind);
    const { status: filter = 'open', ...asked } = accept(checkAlertQuery, request.query, 'query');
    const page = pageOf(asked);
    const alerts = await app.alerts.list({
      deviceNo,
      filter,
      beforeAlertId: page.after,
      limit: page.limit + 1,
    });
    return paged(alerts, page, ({ alertId }) => alertId, shown);
  });

  routes.get<AlertPath>(
    '/devices/:device_id/alerts/:alert_id',
    { config: { scope: 'read' } },
    async (request) => {
      const { deviceNo } = await findDevice(request, app, kind);
      return success(shown(found(await app.alerts.find(deviceNo, request.params.alert_id))));
    },
  );

  routes.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/acknowledge',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await findDevice(request, app, kind);
      const { alertId } = found(await app.alerts.find(deviceNo, request.params.alert_id));
      const by = accept(checkAcknowledgement, request.body, 'acknowledgement');
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.acknowledge({ deviceNo, alertId, by, nowMs }),
      );
      return success(shown(found(result)));
    },
  );

  routes.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/shelve',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await findDevice(request, app, kind);
      const { alertId } = found(await app.alerts.find(deviceNo, request.params.alert_id));
      const shelving = accept(checkShelving, request.body, 'shelving');
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.shelve({ deviceNo, alertId, shelving, nowMs }),
      );
      return success(shown(found(result)));
    },
  );

  routes.post<AlertPath>(
    '/devices/:device_id/alerts/:alert_id/unshelve',
    { config: { scope: 'operate' } },
    async (request, reply) => {
      const { deviceNo } = await findDevice(request, app, kind);
      const { alertId } = found(await app.alerts.find(deviceNo, request.params.alert_id));
      const nowMs = now();
      const { result } = await idempotency.once(request, reply, (slices) =>
        slices.alerts.unshelve({ deviceNo, alertId, nowMs }),
      );
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
