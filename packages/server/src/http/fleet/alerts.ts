import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { AcknowledgementResult, FleetAlert } from '@granary/contract/fleet/records';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { FastifyInstance } from 'fastify';
import { shownAlert } from '../alerts.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { limitsOf, selectionOf } from './selection.ts';

export function fleetAlertRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, idempotency, now } = parts;

  register(routes, endpoints.fleet.alerts, async (request, _reply, read) => {
    const query = read.query(request);
    const page = pageOf(query);
    const { status: filter = 'open', severity = null, type = null } = query;
    const devices = selectionOf(request, query);
    return await readPage(
      request,
      page,
      (beforeId, limit) => app.fleet.alerts({ filter, severity, type, devices, beforeId, limit }),
      ({ id }) => id,
      ({ deviceId, state }) => fleetAlert(deviceId, state),
    );
  });

  register(routes, endpoints.fleet.acknowledgeAlerts, async (request, reply, read) => {
    const { alert_ids: alertIds, ...by } = read.body(request);
    const limits = limitsOf(request);
    const nowMs = now();
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.alerts.acknowledgeMany({ alertIds, limits, by, nowMs }),
    );
    const found = new Map(result.map(({ deviceId, alert }) => [alert.alertId, fleetAlert(deviceId, alert)]));
    const results = alertIds.map((alertId): AcknowledgementResult => {
      const alert = found.get(alertId);
      return alert === undefined
        ? { alert_id: alertId, outcome: 'not_found', alert: null }
        : { alert_id: alertId, outcome: 'acknowledged', alert };
    });
    return success({ results });
  });
}

const fleetAlert = (deviceId: string, alert: AlertState): FleetAlert => ({
  device_id: deviceId,
  ...shownAlert(alert),
});
