import { checkEndDeclaration, DeclaredEnd, EndDeclaration } from '../declared-end.ts';
import type { ErrorCode } from '../errors.ts';
import { OperationId } from '../ids.ts';
import {
  checkDischargeRequest,
  checkFeedRequest,
  checkOperationPlanRequest,
  checkOperationQuery,
  DischargeRequest,
  FeedRequest,
  LEVEL_THRESHOLDS,
  MASS_UNITS,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  OperationFailure,
  OperationPlan,
  OperationRecord,
  OperationStarted,
  OperationTrace,
} from '../operations.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  operation_id: {
    schema: OperationId,
    description: 'the id of a feed or discharge operation',
    notFound: 'operation_not_found',
    example: 'op_019a86c5f3c07b2a',
  },
});

export const START_REFUSALS: readonly ErrorCode[] = [
  'confirmation_required',
  'device_offline',
  'reading_stale',
  'start_expired',
  'operation_in_progress',
  'device_in_maintenance',
  'rate_exceeds_limit',
];

const endpoints = {
  feed: endpoint('silo', 'POST', '/devices/{device_id}/operations/feed', {
    number: 5,
    scope: 'operate',
    summary: 'Starts putting material into a silo.',
    body: body(checkFeedRequest, 'feed'),
    answers: { 200: one(OperationStarted) },
    errors: [...START_REFUSALS, 'insufficient_capacity'],
    examples: [
      { summary: 'in kilograms', body: { amount: 100, unit: 'kg', rate: 20, rate_unit: 'kg/min' } },
      { summary: 'as fast as the silo may', body: { amount: 0.1, unit: 't' } },
      {
        summary: 'more than there is room for',
        body: { amount: 900, unit: 't' },
        refusal: 'insufficient_capacity',
      },
    ],
  }),
  discharge: endpoint('silo', 'POST', '/devices/{device_id}/operations/discharge', {
    number: 6,
    scope: 'operate',
    summary: 'Starts taking material out of a silo.',
    body: body(checkDischargeRequest, 'discharge'),
    answers: { 200: one(OperationStarted) },
    errors: [...START_REFUSALS, 'insufficient_stock'],
    examples: [
      {
        summary: 'into a truck',
        body: { amount: 100, unit: 'kg', rate: 20, rate_unit: 'kg/min', target_container: 'truck 12' },
      },
      {
        summary: 'more than the silo holds',
        body: { amount: 900, unit: 't', target_container: 'truck 12' },
        refusal: 'insufficient_stock',
      },
    ],
  }),
  get: endpoint('silo', 'GET', '/devices/{device_id}/operations/{operation_id}', {
    number: 7,
    scope: 'read',
    summary: 'Shows how an operation stands.',
    answers: { 200: one(OperationRecord) },
    examples: [
      { summary: 'an operation' },
      {
        summary: 'an unknown operation',
        parameters: { operation_id: 'op_none' },
        refusal: 'operation_not_found',
      },
    ],
  }),
  /** The stop may be repeated at any time; the status says when the operation has ended. */
  stop: endpoint('silo', 'POST', '/devices/{device_id}/operations/{operation_id}/stop', {
    number: 8,
    scope: 'stop',
    isUrgent: true,
    summary: 'Stops an operation: valid at any time, any number of times, never limited.',
    answers: { 200: one(OperationRecord) },
    examples: [{ summary: 'an operation that runs' }],
  }),
  /** Possible only while the outcome is uncertain; a repetition answers the same record. */
  declareEnded: endpoint('silo', 'POST', '/devices/{device_id}/operations/{operation_id}/declare-ended', {
    scope: 'admin',
    summary:
      'Records that a person has looked and that an operation does not run, although its silo did not report the end.',
    body: body(checkEndDeclaration, 'declaration'),
    answers: { 200: one(OperationRecord) },
    errors: ['cannot_declare_ended', 'confirmation_required'],
    examples: [
      {
        summary: 'an operation of a silo that is gone',
        body: { reason: 'the controller was replaced', looked_by: 'Ada Lovelace' },
      },
    ],
  }),
  /** Changes nothing; the start is decided again by the facts at its own time. */
  plan: endpoint('silo', 'POST', '/devices/{device_id}/operations/plan', {
    scope: 'read',
    isAudited: false,
    summary:
      'Shows what an operation would do and whether its start would be refused now; nothing is started.',
    body: body(checkOperationPlanRequest, 'plan'),
    answers: { 200: one(OperationPlan) },
    errors: ['not_supported'],
    examples: [
      { summary: 'a feed', body: { type: 'feed', amount: 100, unit: 'kg', rate: 20, rate_unit: 'kg/min' } },
      {
        summary: 'a discharge of more than the silo holds',
        body: { type: 'discharge', amount: 900, unit: 't' },
      },
      {
        summary: 'an unknown silo',
        parameters: { device_id: 'nobody' },
        body: { type: 'feed', amount: 1 },
        refusal: 'device_not_found',
      },
    ],
  }),
  /** The trace is made from the stored state of the operation. */
  trace: endpoint('silo', 'GET', '/devices/{device_id}/operations/{operation_id}/trace', {
    scope: 'read',
    summary:
      'Shows what happened to an operation, step by step: who asked, what was sent, what the device said.',
    answers: { 200: one(OperationTrace) },
    examples: [
      { summary: 'an operation' },
      {
        summary: 'an unknown operation',
        parameters: { operation_id: 'op_none' },
        refusal: 'operation_not_found',
      },
    ],
  }),
  /** The newest operations come first. */
  list: endpoint('silo', 'GET', '/devices/{device_id}/operations', {
    scope: 'read',
    summary: 'Lists the operations of a silo, newest first.',
    query: checkOperationQuery,
    answers: { 200: pageOf(OperationRecord) },
    examples: [
      { summary: 'every operation' },
      { summary: 'the feeds that failed', query: { status: 'failed', type: 'feed' } },
    ],
  }),
};

export const operations = {
  description: 'Feed into and discharge from a silo, and their stop.',
  endpoints,
  schemas: {
    FeedRequest,
    DischargeRequest,
    OperationStarted,
    OperationRecord,
    OperationFailure,
    DeclaredEnd,
    EndDeclaration,
  },
  events: {
    'operation.status_changed': OperationRecord,
  },
  values: { OPERATION_TYPES, OPERATION_STATUSES, MASS_UNITS, LEVEL_THRESHOLDS },
} satisfies Slice;
