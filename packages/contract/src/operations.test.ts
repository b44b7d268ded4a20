import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkAcknowledgement, checkAlertQuery, checkShelving } from './alerts.ts';
import { checkEventQuery } from './events.ts';
import type { ValidationIssue } from './input/schema.ts';
import { checkOperationAck, checkOperationProgress, checkSiloCommand } from './link/messages.ts';
import { checkDischargeRequest, checkFeedRequest, checkOperationQuery } from './operations.ts';

const start = {
  command: 'start',
  operation_id: 'op_1',
  type: 'feed',
  amount_kg: 10,
  rate_kg_per_min: 5,
  max_amount_kg: 10.2,
  max_duration_s: 240,
  expires_at: '2026-03-01T12:00:30Z',
};
const progress = { operation_id: 'op_1', state: 'running', amount_kg: 0, ts: 1 };
const shelving = { until: '2026-03-02T00:00:00Z', reason: 'sensor is being changed' };

interface Cases {
  readonly check: { accepts(value: unknown): boolean; faults(value: unknown): ValidationIssue[] };
  readonly accepted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const CASES: Record<string, Cases> = {
  'a feed request': {
    check: checkFeedRequest,
    accepted: [{ amount: 1 }, { amount: 0.5, unit: 't', rate: 3, rate_unit: 't/h' }],
    refused: [
      {},
      { amount: 0 },
      { amount: -1 },
      { amount: '1' },
      { amount: Number.NaN },
      { amount: Number.POSITIVE_INFINITY },
      { amount: 1, unit: 'stone' },
      { amount: 1, rate: 0 },
      { amount: 1, rate_unit: 'kg/s' },
      { amount: 1, target_container: 'truck' },
      null,
    ],
  },
  'a discharge request': {
    check: checkDischargeRequest,
    accepted: [{ amount: 1, target_container: 'truck 7' }],
    refused: [
      { amount: 1 },
      { amount: 1, target_container: '' },
      { amount: 1, target_container: 'x'.repeat(201) },
      { amount: 1, target_container: 7 },
    ],
  },
  'an operation query': {
    check: checkOperationQuery,
    accepted: [{}, { status: 'unconfirmed', type: 'feed', limit: '10', cursor: 'abc' }],
    refused: [{ status: 'open' }, { type: 'fill' }, { limit: 'many' }, { colour: 'red' }],
  },
  'an alert query': {
    check: checkAlertQuery,
    accepted: [{}, { status: 'open' }, { status: 'all' }, { status: 'resolved' }],
    refused: [{ status: 'pending' }, { status: '' }],
  },
  'an acknowledgement': {
    check: checkAcknowledgement,
    accepted: [{ acknowledged_by: 'Ida' }, { acknowledged_by: 'Ida', note: '' }],
    refused: [
      {},
      { acknowledged_by: '' },
      { acknowledged_by: 'x'.repeat(201) },
      { acknowledged_by: 'Ida', note: 'x'.repeat(2_001) },
      { acknowledged_by: 'Ida', by: 'Ida' },
    ],
  },
  'a shelving': {
    check: checkShelving,
    accepted: [shelving, { ...shelving, shelved_by: 'Ida' }],
    refused: [{ ...shelving, until: 'tomorrow' }, { ...shelving, reason: '' }, { until: shelving.until }],
  },
  'an event query': {
    check: checkEventQuery,
    accepted: [
      {},
      { device_id: 'silo-1', type: 'alert.raised' },
      { device_id: 'silo-1,silo-2', type: 'alert.raised,key.issued', last_event_id: '0' },
    ],
    refused: [
      { type: 'alert.*' },
      { type: 'alertXraised' },
      { type: 'alert.raised,' },
      { device_id: '#' },
      { last_event_id: '-1' },
    ],
  },
  'a command': {
    check: checkSiloCommand,
    accepted: [start, { command: 'stop', operation_id: 'op_1' }, { command: 'report', operation_id: 'op_1' }],
    refused: [
      { ...start, command: 'stop' },
      { ...start, max_duration_s: 0 },
      { ...start, expires_at: 1 },
      { command: 'start', operation_id: 'op_1' },
      { command: 'stop' },
      { command: 'stop', operation_id: 'op/1' },
    ],
  },
  'an answer to a start': {
    check: checkOperationAck,
    accepted: [
      { operation_id: 'op_1', accepted: true },
      { operation_id: 'op_1', accepted: false, reason: 'jam' },
    ],
    refused: [
      { operation_id: 'op_1' },
      { operation_id: '', accepted: true },
      { operation_id: 'op_1', accepted: 1 },
    ],
  },
  'a progress report': {
    check: checkOperationProgress,
    accepted: [progress, { ...progress, type: 'discharge', reason: 'empty', ts: '2026-03-01T12:00:00Z' }],
    refused: [
      { ...progress, amount_kg: -1 },
      { ...progress, amount_kg: Number.NaN },
      { ...progress, amount_kg: 1e10 },
      { ...progress, state: 'started' },
      { ...progress, ts: 'now' },
      { ...progress, percent: 101 },
      { ...progress, reason: 'x'.repeat(501) },
    ],
  },
};

for (const [name, { check, accepted, refused }] of Object.entries(CASES)) {
  describe(name, () => {
    for (const value of accepted) {
      it(`may be ${JSON.stringify(value)}`, () => assert.deepEqual(check.faults(value), []));
    }
    for (const value of refused) {
      it(`may not be ${JSON.stringify(value)?.slice(0, 80)}`, () => {
        assert.equal(check.accepts(value), false);
        assert.notDeepEqual(check.faults(value), []);
      });
    }
  });
}
