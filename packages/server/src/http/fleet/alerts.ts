import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { AcknowledgementResult, FleetAlert } from '@granary/contract/fleet/records';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { DeviceOfRow } from '@granary/store/tables/fleet/newest-rows';
import type { FastifyInstance } from 'fastify';
import { shownAlert } from '../alerts.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { deviceOfRecord, limitsOf, selectionOf } from './selection.ts';

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
      ({ state, ...device }) => fleetAlert(device, state),
    );
  });

  register(routes, endpoints.fleet.acknowledgeAlerts, async (request, reply, read) => {
    const { alert_ids: alertIds, ...by } = read.body(request);
    const limits = limitsOf(request);
    const nowMs = now();
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.alerts.acknowledgeMany({ alertIds, limits, by, nowMs }),
    );
    const found = new Map(result.map(({ alert, ...device }) => [alert.alertId, fleetAlert(device, alert)]));
    const results = alertIds.map((alertId): AcknowledgementResult => {
      const alert = found.get(alertId);
      return alert === undefined
        ? { alert_id: alertId, outcome: 'not_found', alert: null }
        : { alert_id: alertId, outcome: 'acknowledged', alert };
    });
    return success({ results });
  });
}

const fleetAlert = (device: DeviceOfRow, alert: AlertState): FleetAlert => ({
  ...deviceOfRecord(device),
  ...shownAlert(alert),
});
