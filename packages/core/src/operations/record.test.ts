import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checker } from '@granary/contract/input/schema';
import { checkSiloCommand } from '@granary/contract/link/messages';
import { OperationRecord } from '@granary/contract/operations';
import { MINUTE_MS } from '@granary/contract/time';
import {
  estimatedCompletionMs,
  estimatedDurationMin,
  operationRecord,
  progressPercent,
  startCommand,
} from './record.ts';
import { beginOperation, type NewOperation, unsolicitedOperation } from './state.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');

const asked: NewOperation = {
  operationId: 'op_1',
  deviceNo: 1,
  type: 'discharge',
  weight: { valueG: 5_000_000, tsMs: START_MS },
  plan: {
    amountG: 45_359,
    unit: 'lb',
    rateGPerMin: 50_000 / 3,
    rateUnit: 't/h',
    targetContainer: 'truck',
    maxAmountG: 46_267,
    maxDurationMs: 240_500,
    expiresAtMs: START_MS + 30_000,
  },
};
const started = beginOperation(asked, START_MS);

test('an operation is answered in the units asked', () => {
  const halfWay = {
    ...started,
    amountCompletedG: 22_680,
    measuredG: 22_500,
    lastHeardAtMs: START_MS + 60_000,
  };
  assert.deepEqual(operationRecord(halfWay), {
    operation_id: 'op_1',
    type: 'discharge',
    status: 'started',
    status_code: 'start_given_out',
    status_values: { started: '2026-03-01T12:00:00.000Z', until: '2026-03-01T12:00:10.000Z' },
    status_detail:
      "The start was given out at 2026-03-01T12:00:00.000Z; the device's acknowledgement is awaited until 2026-03-01T12:00:10.000Z.",
    origin: 'service',
    progress: 50.001102,
    amount_target: 100,
    amount_completed: 50,
    measured_amount: 49.6,
    unit: 'lb',
    rate: 1,
    rate_unit: 't/h',
    target_container: 'truck',
    started_at: '2026-03-01T12:00:00.000Z',
    estimated_completion: '2026-03-01T12:02:21.644Z',
    stop_requested_at: null,
    ended_at: null,
    failure: null,
    declared: null,
    requested_by: null,
    stopped_by: null,
  });
});

test('an operation started at the device says so, and its unknown fields are null', () => {
  const progress = { operation_id: 'local-1', state: 'running', amount_kg: 3, ts: START_MS } as const;
  const unsolicited = unsolicitedOperation(1, progress, START_MS);
  assert.ok(unsolicited !== null);
  const record = operationRecord(unsolicited);
  assert.deepEqual(checker(OperationRecord).faults(record), []);
  const { origin, type, amount_target, progress: percent, rate, estimated_completion } = record;
  assert.deepEqual(
    [origin, type, amount_target, percent, rate, estimated_completion],
    ['device', null, null, null, null, null],
  );
  assert.equal(record.amount_completed, 3);
});

test('progress is at most 100 percent', () => {
  assert.equal(progressPercent(started), 0);
  assert.equal(progressPercent({ ...started, amountCompletedG: 45_359 }), 100);
  assert.equal(progressPercent({ ...started, amountCompletedG: 90_000 }), 100);
});

test('duration and end are estimated from amount and rate', () => {
  const plan = { ...asked.plan, amountG: 100_000, rateGPerMin: 40_000 };
  assert.equal(estimatedDurationMin(plan), 2.5);
  const operation = { ...started, plan };
  assert.equal(estimatedCompletionMs(operation), START_MS + 2.5 * MINUTE_MS);
  const overfull = { ...operation, amountCompletedG: 101_000, lastHeardAtMs: START_MS + 9 };
  assert.equal(estimatedCompletionMs(overfull), START_MS + 9);
  assert.equal(estimatedCompletionMs({ ...operation, endedAtMs: START_MS + 7 }), START_MS + 7);
});

test('only a discharge says where the material goes', () => {
  const feed = startCommand({ ...asked, type: 'feed', plan: { ...asked.plan, targetContainer: null } });
  assert.equal('target_container' in feed, false);
  assert.deepEqual(checkSiloCommand.faults(feed), []);
});

test('the command to start carries every bound', () => {
  const command = startCommand(asked);
  assert.deepEqual(checkSiloCommand.faults(command), []);
  assert.deepEqual(command, {
    command: 'start',
    operation_id: 'op_1',
    type: 'discharge',
    amount_kg: 45.359,
    rate_kg_per_min: 50 / 3,
    max_amount_kg: 46.267,
    max_duration_s: 241,
    target_container: 'truck',
    expires_at: '2026-03-01T12:00:30.000Z',
  });
});
