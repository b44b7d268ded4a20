import type { GrainRead, ListedSiloForecast } from '@granary/app/foresight/foresight';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import type { FindingType, GrainState } from '@granary/contract/foresight/findings';
import { HORIZON_DAYS_DEFAULT, type PathPoint } from '@granary/contract/foresight/forecasts';
import {
  compartmentsOf,
  type OrderLine,
  type OrderList,
  type OrderListQuery,
} from '@granary/contract/foresight/refills';
import { reasonOf, sentence } from '@granary/contract/sentences/english';
import { checkedTimeMs, DAY_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { type CsvCell, csvText } from '@granary/core/csv';
import type { AerationAction, AerationWindow } from '@granary/core/foresight/grain/aeration';
import { packTruck } from '@granary/core/foresight/order-list';
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
import type { RouteDependencies } from './route-dependencies.ts';

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
export function siloForesightRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, forecaster, changes, idempotency, now } = parts;

  register(routes, endpoints.foresight.forecast, async (request, reply, read) => {
    const device = await findDevice(request, parts, 'silo');
    const { horizon } = read.query(request);
    const days = horizon === undefined ? HORIZON_DAYS_DEFAULT : Number(horizon.slice(0, -1));
    const forecast = forecastRecord(await forecaster.forecast(device.deviceNo, days));
    if (!prefersCsv(request, reply)) return success(forecast);
    const rows = forecast.path.map((point) => PATH_COLUMNS.map((column) => point[column]));
    return sendCsv(reply, PATH_COLUMNS, rows);
  });

  register(routes, endpoints.foresight.planDelivery, async (request, reply, read) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const delivery = read.body(request);
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.foresight.planDelivery({ deviceNo, nowMs: now(), delivery }),
    );
    forecaster.wake();
    return success({ planned: [...result] });
  });

  register(routes, endpoints.foresight.cancelDelivery, async (request, _reply, read) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const { at = null } = read.query(request);
    const planned = await changes(request).foresight.cancelDelivery({ deviceNo, nowMs: now(), at });
    forecaster.wake();
    return success({ planned: [...planned] });
  });

  register(routes, endpoints.foresight.grain, async (request) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const nowMs = now();
    const wish = { nowMs, timeZone: parts.settings.timeZone, horizonDays: 0 };
    return success(grainState(await app.foresight.grain(deviceNo, wish), nowMs));
  });
}

/** Forecasts, refills, orders and findings of all silos that the key may access. */
export function foresightRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, forecaster, changes, now } = parts;

  register(routes, endpoints.foresight.forecasts, async (request, _reply, read) => {
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
      (after, limit) => app.foresight.forecasts({ ...wanted, after, limit }),
      ({ deviceId }) => deviceId,
      ({ forecast, ...silo }) => forecastSummary(silo, forecast),
    );
  });

  register(routes, endpoints.foresight.refills, async (request, _reply, read) => {
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
      (beforeId, limit) => app.foresight.refills({ ...wanted, beforeId, limit }),
      ({ refillId }) => refillId,
      refillRecord,
    );
  });

  register(routes, endpoints.foresight.changeRefill, async (request, _reply, read) => {
    const { refill_id: refillId } = request.params;
    const refill = await app.foresight.refill(refillId);
    refuseOutside(
      request,
      refill,
      () =>
        new Refusal('refill_not_found', `there is no refill ${quoted(refillId)}, or this key may not see it`),
    );
    const patch = read.body(request);
    const changed = await changes(request).foresight.noteRefill({ refillId, patch, nowMs: now() });
    forecaster.wake();
    return success(refillRecord(changed));
  });

  register(routes, endpoints.foresight.findings, async (request, _reply, read) => {
    const query = read.query(request);
    const { type = null, result = 'fail' } = query;
    const devices = selectionOf(request, query);
    return await readPage(
      request,
      pageOf(query),
      (after, limit) => {
        if (after !== null && !/^\d{1,15}$/.test(after)) throw badCursor();
        return app.foresight.findings({
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

  register(routes, endpoints.foresight.orderList, async (request, reply, read) => {
    const query = read.query(request);
    const list = orderList(query, await silosToOrder(request, parts, query), now());
    if (!prefersCsv(request, reply)) return success(list);
    const rows = list.lines.map(orderRow);
    return sendCsv(reply, ORDER_COLUMNS, rows);
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

const untilMs = ({ until }: OrderListQuery, nowMs: number): number =>
  until === undefined ? nowMs + ORDER_DAYS_DEFAULT * DAY_MS : checkedTimeMs(until);

/** In parts, because there may be thousands of silos. */
async function silosToOrder(
  request: FastifyRequest,
  { app, now }: RouteDependencies,
  query: OrderListQuery,
): Promise<ListedSiloForecast[]> {
  const wanted = {
    devices: selectionOf(request, query),
    product: query.product ?? null,
    status: null,
    orderByBeforeMs: untilMs(query, now()),
    sort: 'device_id' as const,
  };
  const silos: ListedSiloForecast[] = [];
  for (let after: string | null = null; ; ) {
    const part: ListedSiloForecast[] = await app.foresight.forecasts({
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

function orderList(query: OrderListQuery, silos: readonly ListedSiloForecast[], nowMs: number): OrderList {
  const lines = silos.flatMap(({ forecast, ...silo }): OrderLine[] => {
    const { suggestion, orderByMs } = forecast;
    if (suggestion === null || orderByMs === null || suggestion.kg <= 0) return [];
    return [
      {
        device_id: silo.deviceId,
        name: silo.name,
        facility: silo.facility,
        zone: silo.zone,
        product: silo.product,
        kg: Math.round(suggestion.kg),
        time_zone: forecast.timeZone,
        order_by: toIso(orderByMs),
        deliver_between: { from: toIso(suggestion.deliverFromMs), to: toIso(suggestion.deliverToMs) },
        level_kg: forecast.levelKg === null ? null : Math.round(forecast.levelKg),
        kg_per_day: forecast.use === null ? null : Math.round(forecast.use.kgPerDay),
        empty_p50: toIsoOrNull(forecast.empty?.p50Ms ?? null),
      },
    ];
  });
  const byPlace = (a: OrderLine, b: OrderLine): number =>
    compared(a.facility, b.facility) ||
    compared(a.product ?? '', b.product ?? '') ||
    compared(a.order_by, b.order_by) ||
    compared(a.device_id, b.device_id);
  lines.sort(byPlace);
  const groups = Map.groupBy(lines, ({ facility, product }) => JSON.stringify([facility, product]));
  const totals = [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { facility, product } = first;
    const sum = (of: (line: OrderLine) => number) => own.reduce((total, line) => total + of(line), 0);
    const orderBy = own.map(({ order_by }) => order_by).sort(compared)[0] ?? first.order_by;
    return [
      {
        facility,
        product,
        silos: own.length,
        kg: sum(({ kg }) => kg),
        kg_per_day: sum(({ kg_per_day }) => kg_per_day ?? 0),
        order_by: orderBy,
      },
    ];
  });
  return {
    made_at: toIso(nowMs),
    until: toIso(untilMs(query, nowMs)),
    lines,
    totals,
    ...packed(query, lines),
  };
}

const compared = (a: string, b: string): number => Number(a > b) - Number(a < b);

function packed(
  { compartments: text }: OrderListQuery,
  lines: readonly OrderLine[],
): Pick<OrderList, 'loads' | 'not_loaded'> {
  const compartments = text === undefined ? null : compartmentsOf(text);
  if (compartments === null) return { loads: null, not_loaded: [] };
  const asked = lines.map(({ device_id, facility, product, kg, order_by }) => ({
    deviceId: device_id,
    site: facility,
    product,
    kg,
    orderByMs: checkedTimeMs(order_by),
  }));
  const { compartments: filled, left } = packTruck(asked, compartments);
  return {
    loads: filled.map(({ capacityKg, product, loads }, index) => ({
      truck: 1,
      compartment: index + 1,
      capacity_kg: capacityKg,
      product,
      kg: loads.reduce((total, { kg }) => total + kg, 0),
      device_ids: loads.map(({ deviceId }) => deviceId),
    })),
    not_loaded: left.map(({ deviceId, kg }) => ({ device_id: deviceId, kg })),
  };
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
const tenthsOrNull = (value: number | null): number | null => (value === null ? null : tenths(value));

function airReason(action: AerationAction, air: AerationWindow['values']) {
  const values = {
    outside_c: tenths(air.outsideC),
    grain_c: tenths(air.grainC),
    equilibrium_percent: tenths(air.equilibriumPercent),
  };
  return reasonOf(action === 'cool' ? sentence('air_cools', values) : sentence('air_dries', values));
}

const NO_GRAIN = reasonOf(sentence('no_grain'));

function grainState(grain: GrainRead | null, nowMs: number): GrainState {
  if (grain === null) {
    return {
      made_at: toIso(nowMs),
      grain: null,
      model: null,
      temperature_c: null,
      moisture_percent: null,
      equilibrium_moisture_percent: null,
      storage: null,
      cable_status: 'no_data',
      points: [],
      moisture_migrates: false,
      aeration: null,
      reasons: [NO_GRAIN],
    };
  }
  const { cable, storage, aeration, use } = grain;
  const name = use.product?.grain ?? null;
  return {
    made_at: toIso(nowMs),
    grain: name,
    model: name === null ? null : 'Modified Henderson (ASAE D245)',
    temperature_c: tenthsOrNull(grain.temperatureC),
    moisture_percent: tenthsOrNull(grain.moisturePercent),
    equilibrium_moisture_percent: tenthsOrNull(grain.equilibriumPercent),
    storage: storage && {
      used_percent: Math.round(1_000 * storage.usedShare) / 10,
      remaining_days: Math.round(storage.remainingDays),
      since: toIso(storage.sinceMs),
    },
    cable_status: cable.status,
    points: cable.points.map((point) => ({
      sensor_id: point.id,
      cable: point.cable,
      point: point.point,
      height_m: point.heightM,
      state: point.state,
      temperature_c: tenthsOrNull(point.temperatureC),
      warmer_by_c: tenthsOrNull(point.aboveNeighboursC),
      slope_c_per_day: point.slopeCPerDay === null ? null : Math.round(point.slopeCPerDay * 100) / 100,
      severity: point.severity,
    })),
    moisture_migrates: cable.isMoistureMigrating,
    aeration: aeration && {
      weather: aeration.source,
      windows: aeration.windows.map(({ fromMs, toMs, action, values }) => ({
        from: toIso(fromMs),
        to: toIso(toMs),
        action,
        reason: airReason(action, values),
      })),
      reason: aeration.obstacle === null ? null : reasonOf(sentence(aeration.obstacle)),
      target_moisture_percent: aeration.targetPercent,
      fan_heat_c: aeration.fanHeatC,
      front_hours: Math.round(aeration.frontHours),
    },
    reasons: name === null ? [NO_GRAIN] : [],
  };
}
