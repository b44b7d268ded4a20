import type { Alert } from '@granary/contract/alerts';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import { alertRecord } from '@granary/core/alerts/record';
import type { FastifyInstance } from 'fastify';
import { findDevice } from './devices/find-device.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function alertRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'directory' | 'idempotency' | 'now'>,
  group: DeviceGroup,
): void {
  const { reads, idempotency, now } = parts;

  register(routes, endpoints.alerts[group].list, async ({ request, read }) => {
    const { deviceNo } = await findDevice(request, parts, group);
    const { status: filter = 'open', ...asked } = read.query(request);
    const page = pageOf(asked);
    const alertsBefore = (beforeAlertId: string | null, limit: number) =>
      reads(request).alerts.list({ deviceNo, filter, beforeAlertId, limit });
    return await readPage(request, page, alertsBefore, ({ alertId }) => alertId, shownAlert);
  });

  register(routes, endpoints.alerts[group].get, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, group);
    return success(shownAlert(found(await reads(request).alerts.find(deviceNo, request.params.alert_id))));
  });

  register(routes, endpoints.alerts[group].acknowledge, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, group);
    const { alertId } = found(await reads(request).alerts.find(deviceNo, request.params.alert_id));
    const by = read.body(request);
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.alerts.acknowledge({ deviceNo, alertId, by, nowMs }),
    );
    return success(shownAlert(found(result)));
  });

  register(routes, endpoints.alerts[group].shelve, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, group);
    const { alertId } = found(await reads(request).alerts.find(deviceNo, request.params.alert_id));
    const shelving = read.body(request);
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.alerts.shelve({ deviceNo, alertId, shelving, nowMs }),
    );
    return success(shownAlert(found(result)));
  });

  register(routes, endpoints.alerts[group].unshelve, async (exchange) => {
    const { request } = exchange;
    const { deviceNo } = await findDevice(request, parts, group);
    const { alertId } = found(await reads(request).alerts.find(deviceNo, request.params.alert_id));
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.alerts.unshelve({ deviceNo, alertId, nowMs }),
    );
    return success(shownAlert(found(result)));
  });
}

function found(alert: AlertState | undefined): AlertState {
  if (alert !== undefined) return alert;
  throw new Refusal('alert_not_found', 'the device has no alert with this id');
}

export function shownAlert(alert: AlertState): Alert {
  const record = alertRecord(alert);
  if (record === null) throw new Error(`alert ${alert.alertId} is not to be shown yet`);
  return record;
}
