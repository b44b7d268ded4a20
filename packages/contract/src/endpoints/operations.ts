import { checkEndDeclaration } from '../declared-end.ts';
import type { ErrorCode } from '../errors.ts';
import {
  checkDischargeRequest,
  checkFeedRequest,
  checkOperationQuery,
  OperationRecord,
  OperationStarted,
} from '../operations.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';

const START_REFUSALS: readonly ErrorCode[] = [
  'device_offline',
  'reading_stale',
  'start_expired',
  'operation_in_progress',
  'device_in_maintenance',
  'rate_exceeds_limit',
];

export const operations = {
  feed: endpoint('silo', 'POST', '/devices/{device_id}/operations/feed', {
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
  /** May be repeated at any time; the operation has ended when its status says so. */
  stop: endpoint('silo', 'POST', '/devices/{device_id}/operations/{operation_id}/stop', {
    scope: 'operate',
    isUrgent: true,
    summary: 'Stops an operation: valid at any time, any number of times, never limited.',
    answers: { 200: one(OperationRecord) },
    examples: [{ summary: 'an operation that runs' }],
  }),
  /** Only while the outcome is uncertain; repeating it answers the same record. */
  declareEnded: endpoint('silo', 'POST', '/devices/{device_id}/operations/{operation_id}/declare-ended', {
    scope: 'admin',
    summary:
      'Records that a person has looked and that an operation does not run, although its silo did not report the end.',
    body: body(checkEndDeclaration, 'declaration'),
    answers: { 200: one(OperationRecord) },
    errors: ['cannot_declare_ended'],
    examples: [
      {
        summary: 'an operation of a silo that is gone',
        body: { reason: 'the controller was replaced', looked_by: 'Ada Lovelace' },
      },
    ],
  }),
  /** Newest first. */
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
