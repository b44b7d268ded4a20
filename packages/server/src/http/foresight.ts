import type { ListedSiloForecast } from '@granary/app/foresight/foresight';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { FindingType } from '@granary/contract/foresight/findings';
import { HORIZON_DAYS_DEFAULT, type PathPoint } from '@granary/contract/foresight/forecasts';
import { compartmentsOf, type OrderLine, type OrderListQuery } from '@granary/contract/foresight/refills';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { type CsvCell, csvText } from '@granary/core/csv';
import { grainState } from '@granary/core/foresight/grain/grain-state';
import { orderList } from '@granary/core/foresight/order-list';
import { findingRecord, forecastRecord, forecastSummary, refillRecord } from '@granary/core/foresight/record';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseOutside } from './access/credentials.ts';
import { nextPart } from './access/request-turns.ts';
import { findDevice } from './devices/find-device.ts';
import { selectionOf } from './fleet/selection.ts';
import { preferredType } from './protocol/accept.ts';
import { badCursor, pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

const ORDER_DAYS_DEFAULT = 7;
const SILOS_PER_READ = 100;
const PATH_COLUMNS = ['at', 'p10', 'p25', 'p50', 'p75', 'p90'] as const satisfies (keyof PathPoint)[];
const ORDER_COLUMNS = [
  'device_id',
  'name',
  'facility',
  'zone',
  'product',
  'kg',
  'order_by',
  'deliver_from',
  'deliver_to',
  'level_kg',
  'kg_per_day',
  'empty_p50',
];

/** Forecasts and planned deliveries of one silo. */
export function siloForesightRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'changes' | 'directory' | 'idempotency' | 'forecaster' | 'now'>,
): void {
  const { reads, forecaster, changes, idempotency, now } = parts;

  register(routes, endpoints.foresight.forecast, async ({ request, reply, read }) => {
    const device = await findDevice(request, parts, 'silo');
    const { horizon } = read.query(request);
    const days = horizon === undefined ? HORIZON_DAYS_DEFAULT : Number(horizon.slice(0, -1));
    const forecast = forecastRecord(await forecaster.forecast(device.deviceNo, days));
    if (!prefersCsv(request, reply)) return success(forecast);
    const rows = forecast.path.map((point) => PATH_COLUMNS.map((column) => point[column]));
    return sendCsv(reply, PATH_COLUMNS, rows);
  });

  register(routes, endpoints.foresight.planDelivery, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const delivery = read.body(request);
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.foresight.planDelivery({ deviceNo, nowMs: now(), delivery }),
    );
    forecaster.wake();
    return success({ planned: [...result] });
  });

  register(routes, endpoints.foresight.cancelDelivery, async (exchange) => {
    const { request, read } = exchange;
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const { at = null } = read.query(request);
    const planned = await changes(exchange).foresight.cancelDelivery({ deviceNo, nowMs: now(), at });
    forecaster.wake();
    return success({ planned: [...planned] });
  });

  register(routes, endpoints.foresight.grain, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const nowMs = now();
    const wish = { nowMs, timeZone: parts.settings.timeZone, horizonDays: 0 };
    return success(grainState(await reads(request).foresight.grain(deviceNo, wish), nowMs));
  });
}

/** Forecasts, refills, orders and findings of all silos that the key may access. */
export function foresightRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'forecaster' | 'now'>,
): void {
  const { reads, forecaster, changes, now } = parts;

  register(routes, endpoints.foresight.forecasts, async ({ request, read }) => {
    const query = read.query(request);
    const { product = null, status = null, order_by_before: before, sort = 'order_by' } = query;
    const wanted = {
      devices: selectionOf(request, query),
      product,
      status,
      orderByBeforeMs: before === undefined ? null : checkedTimeMs(before),
      sort,
    };
    return await readPage(
      request,
      pageOf(query),
      (after, limit) => reads(request).foresight.forecasts({ ...wanted, after, limit }),
      ({ deviceId }) => deviceId,
      ({ forecast, ...silo }) => forecastSummary(silo, forecast),
    );
  });

  register(routes, endpoints.foresight.refills, async ({ request, read }) => {
    const query = read.query(request);
    const { from, to } = query;
    const wanted = {
      devices: selectionOf(request, query),
      fromMs: from === undefined ? null : checkedTimeMs(from),
      toMs: to === undefined ? null : checkedTimeMs(to),
    };
    return await readPage(
      request,
      pageOf(query),
      (beforeId, limit) => reads(request).foresight.refills({ ...wanted, beforeId, limit }),
      ({ refillId }) => refillId,
      refillRecord,
    );
  });

  register(routes, endpoints.foresight.changeRefill, async (exchange) => {
    const { request, read } = exchange;
    const { refill_id: refillId } = request.params;
    const refill = await reads(request).foresight.refill(refillId);
    refuseOutside(
      request,
      refill,
      () =>
        new Refusal('refill_not_found', `there is no refill ${quoted(refillId)}, or this key may not see it`),
    );
    const patch = read.body(request);
    const changed = await changes(exchange).foresight.noteRefill({ refillId, patch, nowMs: now() });
    forecaster.wake();
    return success(refillRecord(changed));
  });

  register(routes, endpoints.foresight.findings, async ({ request, read }) => {
    const query = read.query(request);
    const { type = null, result = 'fail' } = query;
    const devices = selectionOf(request, query);
    return await readPage(
      request,
      pageOf(query),
      (after, limit) => {
        if (after !== null && !/^\d{1,15}$/.test(after)) throw badCursor();
        return reads(request).foresight.findings({
          devices,
          type,
          result: result === 'all' ? null : result,
          after,
          limit,
        });
      },
      ({ findingNo }) => String(findingNo),
      ({ finding, ...of }) => findingRecord(of, { ...finding, type: finding.type as FindingType }),
    );
  });

  register(routes, endpoints.foresight.orderList, async ({ request, reply, read }) => {
    const query = read.query(request);
    const nowMs = now();
    const untilMs =
      query.until === undefined ? nowMs + ORDER_DAYS_DEFAULT * DAY_MS : checkedTimeMs(query.until);
    const silos = await silosToOrder(request, parts, query, untilMs);
    const compartmentsKg = query.compartments === undefined ? null : compartmentsOf(query.compartments);
    const list = orderList(silos, { nowMs, untilMs, compartmentsKg });
    if (!prefersCsv(request, reply)) return success(list);
    return sendCsv(reply, ORDER_COLUMNS, list.lines.map(orderRow));
  });
}

function prefersCsv(request: FastifyRequest, reply: FastifyReply): boolean {
  reply.header('vary', 'accept');
  return preferredType(request.headers.accept, ['application/json', 'text/csv']) === 'text/csv';
}

const orderRow = ({ deliver_between: { from, to }, ...line }: OrderLine): CsvCell[] => [
  line.device_id,
  line.name,
  line.facility,
  line.zone,
  line.product,
  line.kg,
  line.order_by,
  from,
  to,
  line.level_kg,
  line.kg_per_day,
  line.empty_p50,
];

const sendCsv = (
  reply: FastifyReply,
  columns: readonly string[],
  rows: readonly (readonly CsvCell[])[],
): FastifyReply => reply.type('text/csv; charset=utf-8').send(csvText(columns, rows));

/** Reads the silos in parts, because there may be thousands. */
async function silosToOrder(
  request: FastifyRequest,
  { reads }: Parts<'reads'>,
  query: OrderListQuery,
  untilMs: number,
): Promise<ListedSiloForecast[]> {
  const wanted = {
    devices: selectionOf(request, query),
    product: query.product ?? null,
    status: null,
    orderByBeforeMs: untilMs,
    sort: 'device_id' as const,
  };
  const silos: ListedSiloForecast[] = [];
  for (let after: string | null = null; ; ) {
    const part: ListedSiloForecast[] = await reads(request).foresight.forecasts({
      ...wanted,
      after,
      limit: SILOS_PER_READ,
    });
    silos.push(...part);
    await nextPart(request);
    if (part.length < SILOS_PER_READ) return silos;
    after = part.at(-1)?.deviceId ?? null;
  }
}
