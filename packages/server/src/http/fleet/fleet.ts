import type { OpenAlertsPart } from '@granary/app/alerts/raise-rows';
import type { DeviceOfRow } from '@granary/app/list-rows';
import { STATISTICS_MS_MAX, STATISTICS_MS_USUAL } from '@granary/contract/alert-statistics';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { AcknowledgementResult, FleetAlert } from '@granary/contract/fleet';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import { NO_OPEN_ALERTS, openAlertsOf } from '@granary/core/alerts/statistics';
import { commandRecord } from '@granary/core/commands/record';
import { missionRecord } from '@granary/core/missions/record';
import { operationRecord } from '@granary/core/operations/record';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitsOf } from '../access/credentials.ts';
import { nextPart } from '../access/request-turns.ts';
import { shownAlert } from '../alerts.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';
import { deviceOfRecord, selectionOf, timeRangeOf } from './selection.ts';

/** The number of open alerts that SQLite reads in a few milliseconds, during which it blocks the main thread. */
const OPEN_ALERTS_PER_PART = 500;

/** Views of all devices that the key may access. */
export function fleetRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'idempotency' | 'now'>,
): void {
  const { reads, settings, now } = parts;

  register(routes, endpoints.fleet.devices, async ({ request, read }) => {
    const query = read.query(request);
    const page = pageOf(query);
    const wanted = {
      devices: selectionOf(request, query),
      profileName: query.profile ?? null,
      status: query.status ?? null,
      text: query.q ?? null,
      withReadings: query.include === 'readings',
      isRemoved: query.removed === 'true',
      nowMs: now(),
    };
    return await readPage(
      request,
      page,
      (afterDeviceId, limit) => reads(request).fleet.devices({ ...wanted, afterDeviceId, limit }),
      (device) => device.device_id,
      (device) => device,
    );
  });

  const jobPage = (request: FastifyRequest, query: JobQuery) => {
    const { status = null } = query;
    return { page: pageOf(query), wanted: { devices: selectionOf(request, query), status } };
  };

  register(routes, endpoints.fleet.operations, async ({ request, read }) => {
    const { page, wanted } = jobPage(request, read.query(request));
    const operationsBefore = (beforeId: string | null, limit: number) =>
      reads(request).fleet.operations({ ...wanted, beforeId, limit });
    return await readPage(request, page, operationsBefore, idOf, ({ state, ...device }) => ({
      ...deviceOfRecord(device),
      ...operationRecord(state),
    }));
  });

  register(routes, endpoints.fleet.commands, async ({ request, read }) => {
    const { page, wanted } = jobPage(request, read.query(request));
    const commandsBefore = (beforeId: string | null, limit: number) =>
      reads(request).fleet.commands({ ...wanted, beforeId, limit });
    return await readPage(request, page, commandsBefore, idOf, ({ state, ...device }) => ({
      ...deviceOfRecord(device),
      ...commandRecord(state),
    }));
  });

  register(routes, endpoints.fleet.missions, async ({ request, read }) => {
    const { page, wanted } = jobPage(request, read.query(request));
    const missionsBefore = (beforeId: string | null, limit: number) =>
      reads(request).fleet.missions({ ...wanted, beforeId, limit });
    return await readPage(request, page, missionsBefore, idOf, ({ state, ...device }) => ({
      ...deviceOfRecord(device),
      ...missionRecord(state),
    }));
  });

  register(routes, endpoints.fleet.overview, async ({ request }) =>
    success(await reads(request).fleet.overview(limitsOf(request), now())),
  );

  register(routes, endpoints.fleet.timeZones, async ({ request }) => {
    const named = Map.groupBy(
      await reads(request).fleet.timeZones(selectionOf(request, {})),
      ({ facility }) => facility,
    );
    return success({
      service: settings.timeZone,
      facilities: [...named].map(([facility, zones]) => ({
        facility,
        time_zones: zones.map(({ timeZone }) => timeZone),
      })),
    });
  });

  fleetAlertRoutes(routes, parts);
}

interface JobQuery {
  readonly limit?: string;
  readonly cursor?: string;
  readonly facility?: string;
  readonly zone?: string;
  readonly device_id?: string;
  readonly label?: string;
  readonly status?: string;
}

const idOf = ({ id }: { readonly id: string }): string => id;

function fleetAlertRoutes(routes: FastifyInstance, parts: Parts<'reads' | 'idempotency' | 'now'>): void {
  const { reads, idempotency, now } = parts;

  register(routes, endpoints.fleet.alerts, async ({ request, read }) => {
    const query = read.query(request);
    const page = pageOf(query);
    const { status: filter = 'open', severity = null, type = null } = query;
    const devices = selectionOf(request, query);
    return await readPage(
      request,
      page,
      (beforeId, limit) => reads(request).fleet.alerts({ filter, severity, type, devices, beforeId, limit }),
      ({ id }) => id,
      ({ state, ...device }) => fleetAlert(device, state),
    );
  });

  register(routes, endpoints.fleet.alertStatistics, async ({ request, read }) => {
    const query = read.query(request);
    const nowMs = now();
    const startMs = (toMs: number): number => toMs - STATISTICS_MS_USUAL;
    const times = timeRangeOf(query, { startMs, mostMs: STATISTICS_MS_MAX }, nowMs);
    const range = { ...times, devices: selectionOf(request, query) };
    const raised = await reads(request).alerts.statistics(range);
    let open = NO_OPEN_ALERTS;
    for (let after: number | null = 0; after !== null; ) {
      await nextPart(request);
      const wanted = { after, rowsMax: OPEN_ALERTS_PER_PART };
      const part: OpenAlertsPart = await reads(request).alerts.openInPart(range.devices, wanted, nowMs);
      open = openAlertsOf(open, part);
      after = part.next;
    }
    return success({ ...raised, ...open });
  });

  register(routes, endpoints.fleet.acknowledgeAlerts, async (exchange) => {
    const { request, read } = exchange;
    const { alert_ids: alertIds, ...by } = read.body(request);
    const nowMs = now();
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.alerts.acknowledgeMany({ alertIds, by, nowMs }),
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

export const fleetAlert = (device: DeviceOfRow, alert: AlertState): FleetAlert => ({
  ...deviceOfRecord(device),
  ...shownAlert(alert),
});
