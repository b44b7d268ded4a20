import { checkFindingQuery, Finding, GrainState } from '../foresight/findings.ts';
import {
  checkForecastListQuery,
  checkForecastQuery,
  Forecast,
  ForecastChange,
  ForecastSummary,
  PathPoint,
  Reason,
} from '../foresight/forecasts.ts';
import {
  checkCancelQuery,
  checkOrderListQuery,
  checkPlannedDelivery,
  checkRefillPatch,
  checkRefillQuery,
  OrderList,
  PlannedDeliveries,
  Refill,
  RefillPatch,
} from '../foresight/refills.ts';
import {
  ANIMAL_KINDS,
  Animals,
  GRAINS,
  PlannedDelivery,
  Product,
  SILO_USE_FIELDS,
  Supply,
} from '../foresight/silo-use.ts';
import { id } from '../input/text-schemas.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  refill_id: {
    schema: id(),
    description: 'the id of a refill',
    notFound: 'refill_not_found',
    example: 'rf_019a86c5f3c07b2a',
  },
});

const AS_CSV = { alternatives: ['text/csv'] };
const DELIVERY_AT = '2026-11-18T08:00:00Z';

/** Forecasts of silos: when they run empty, by when to order, and which faults were found. */
const endpoints = {
  forecast: endpoint('silo', 'GET', '/devices/{device_id}/forecast', {
    scope: 'read',
    summary: 'Shows when a silo runs empty, with a range, by when to order, and the reasons.',
    query: checkForecastQuery,
    answers: { 200: one(Forecast, AS_CSV) },
    examples: [
      { summary: 'the next 14 days' },
      { summary: 'the next three days', query: { horizon: '3d' } },
      { summary: 'further than anybody can see', query: { horizon: '400d' }, refusal: 'invalid_input' },
    ],
  }),
  /** The most urgent forecasts come first. */
  forecasts: endpoint('api', 'GET', '/forecasts', {
    scope: 'read',
    summary: 'Lists the forecasts of all silos; those that must be ordered for first come first.',
    query: checkForecastListQuery,
    answers: { 200: pageOf(ForecastSummary) },
    examples: [
      { summary: 'the most urgent' },
      {
        summary: 'of one facility and product, to be ordered for before a time',
        query: {
          facility: 'north',
          product: 'Broiler starter',
          order_by_before: '2026-11-20T00:00:00Z',
          sort: 'order_by',
        },
      },
      { summary: 'an unknown order', query: { sort: 'name' as 'order_by' }, refusal: 'invalid_input' },
    ],
  }),
  /** The newest refills come first. */
  refills: endpoint('api', 'GET', '/refills', {
    scope: 'read',
    summary: 'Lists the refills of all silos, newest first.',
    query: checkRefillQuery,
    answers: { 200: pageOf(Refill) },
    examples: [
      { summary: 'every refill' },
      { summary: 'of one silo', query: { device_id: 'silo-7', from: '2026-11-01T00:00:00Z' } },
    ],
  }),
  changeRefill: endpoint('api', 'PATCH', '/refills/{refill_id}', {
    scope: 'operate',
    summary: 'Enters the delivery note or the product of a refill, or that it was none.',
    body: body(checkRefillPatch, 'refill'),
    answers: { 200: one(Refill) },
    examples: [
      { summary: 'the delivery note', body: { delivery_note_kg: 9_800, product: 'Broiler starter' } },
      {
        summary: 'an unknown refill',
        parameters: { refill_id: 'rf_none' },
        body: { is_refill: false },
        refusal: 'refill_not_found',
      },
    ],
  }),
  /** Replaces a planned delivery at the same time. */
  planDelivery: endpoint('silo', 'POST', '/devices/{device_id}/deliveries', {
    scope: 'operate',
    summary: 'Enters a delivery that is ordered, so that no alert asks for one.',
    body: body(checkPlannedDelivery, 'delivery'),
    answers: { 200: one(PlannedDeliveries) },
    examples: [
      { summary: 'six tonnes', body: { at: DELIVERY_AT, kg: 6_000 } },
      {
        summary: 'a time that has passed',
        body: { at: '2026-11-01T08:00:00Z', kg: 6_000 },
        refusal: 'invalid_input',
      },
    ],
  }),
  cancelDelivery: endpoint('silo', 'DELETE', '/devices/{device_id}/deliveries', {
    scope: 'operate',
    summary: 'Cancels a planned delivery, or all of them. Repeating it changes nothing.',
    query: checkCancelQuery,
    answers: { 200: one(PlannedDeliveries) },
    examples: [{ summary: 'one of them', query: { at: DELIVERY_AT } }, { summary: 'all of them' }],
  }),
  orderList: endpoint('api', 'GET', '/order-list', {
    scope: 'read',
    summary: 'Lists what to order, for which silos and by when; and how it fits into a truck.',
    query: checkOrderListQuery,
    answers: { 200: one(OrderList, AS_CSV) },
    examples: [
      { summary: 'the next seven days' },
      {
        summary: 'with the compartments of the truck',
        query: { until: '2026-11-20T00:00:00Z', compartments: '8000,6000,6000' },
      },
      { summary: 'no compartments', query: { compartments: '8000,none' }, refusal: 'invalid_input' },
    ],
  }),
  findings: endpoint('api', 'GET', '/findings', {
    scope: 'read',
    summary: 'Lists what was found wrong in silos, each with its evidence.',
    query: checkFindingQuery,
    answers: { 200: pageOf(Finding) },
    examples: [
      { summary: 'what is wrong now' },
      { summary: 'every result of one kind', query: { type: 'unexplained_loss', result: 'all' } },
    ],
  }),
  grain: endpoint('silo', 'GET', '/devices/{device_id}/grain', {
    scope: 'read',
    summary: 'Shows moisture, storage time and temperatures of stored grain, and when to run fans.',
    answers: { 200: one(GrainState) },
    examples: [{ summary: 'the grain of a silo' }],
  }),
};

export const foresight = {
  description: 'Forecasts, findings, refills and orders of silos.',
  endpoints,
  schemas: {
    Finding,
    GrainState,
    Forecast,
    ForecastChange,
    ForecastSummary,
    PathPoint,
    Reason,
    OrderList,
    PlannedDeliveries,
    Refill,
    RefillPatch,
    Animals,
    PlannedDelivery,
    Product,
    Supply,
  },
  events: {
    'forecast.changed': ForecastChange,
    'refill.detected': Refill,
    'refill.changed': Refill,
    'finding.raised': Finding,
  },
  values: { GRAINS, ANIMAL_KINDS, SILO_USE_FIELDS },
} satisfies Slice;
