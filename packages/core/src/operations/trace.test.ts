import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checker } from '@granary/contract/input/schema';
import { OperationTrace } from '@granary/contract/operations';
import { beginOperation, type OperationState, unsolicitedOperation } from './state.ts';
import { operationTrace } from './trace.ts';
import { advanceOperation } from './transitions.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const ADA = { key_id: 'k_1', key_name: 'shift', actor: 'Ada' };

const started: OperationState = {
  ...beginOperation(
    {
      operationId: 'op_1',
      deviceNo: 1,
      type: 'discharge',
      weight: { valueG: 500_000, tsMs: START_MS },
      plan: {
        amountG: 100_000,
        unit: 'kg',
        rateGPerMin: 50_000,
        rateUnit: 'kg/min',
        targetContainer: 'truck',
        maxAmountG: 102_000,
        maxDurationMs: 240_000,
        expiresAtMs: START_MS + 10_000,
      },
    },
    START_MS,
  ),
  requestedBy: ADA,
};

const stepsOf = (operation: OperationState) => operationTrace(operation).steps;

test('a start has its caller, its checks and its message', () => {
  assert.deepEqual(
    stepsOf(started).map(({ step, by, detail }) => [step, by, detail]),
    [
      ['requested', ADA, 'A discharge of 100 kg into truck at 50 kg/min.'],
      ['checked', null, 'Accepted with 500 kg inside: the device may move at most 102 kg in 240 s.'],
      ['sent', null, 'The start was sent, valid until 2026-03-01T12:00:10.000Z.'],
    ],
  );
});

test('acknowledgement, report, stop and end follow in the order of their times', () => {
  const acknowledged = advanceOperation(
    started,
    { kind: 'ack', accepted: true, reason: null },
    START_MS + 1_000,
  ).operation;
  const stopping = {
    ...advanceOperation(acknowledged, { kind: 'stop' }, START_MS + 5_000).operation,
    stoppedBy: ADA,
  };
  const report = {
    kind: 'progress',
    state: 'stopped',
    amountG: 4_000,
    tsMs: START_MS + 6_000,
    reason: null,
    type: null,
  } as const;
  const ended = advanceOperation(stopping, report, START_MS + 6_000).operation;
  const trace = operationTrace(ended);
  assert.equal(trace.status, 'stopped');
  assert.deepEqual(
    trace.steps.slice(3).map(({ step }) => step),
    ['acknowledged', 'stop_requested', 'stop_sent', 'reported', 'stopped'],
  );
  assert.deepEqual(trace.steps.find(({ step }) => step === 'stop_requested')?.by, ADA);
  assert.ok(checker(OperationTrace).accepts(trace));
});

test('a start that was not sent says that nothing moved', () => {
  const { operation } = advanceOperation(started, { kind: 'not_sent', why: 'not_connected' }, START_MS);
  assert.match(stepsOf(operation).find(({ step }) => step === 'not_sent')?.detail ?? '', /nothing moved/);
});

test('an operation that was begun at the device has no caller', () => {
  const running = { operation_id: 'x', state: 'running', amount_kg: 1, ts: START_MS } as const;
  const operation = unsolicitedOperation(1, running, START_MS);
  assert.ok(operation);
  assert.deepEqual(stepsOf(operation)[0]?.step, 'begun_at_device');
});

test('an operation that moves after its end says why the service stops it', () => {
  const report = (state: 'completed' | 'running', afterMs: number) =>
    ({ kind: 'progress', state, amountG: afterMs, tsMs: START_MS + afterMs, reason: null }) as const;
  const completed = advanceOperation(started, report('completed', 1_000), START_MS + 1_000).operation;
  const moving = advanceOperation(completed, report('running', 2_000), START_MS + 2_000).operation;
  const stop = stepsOf(moving).find(({ step }) => step === 'stop_requested');
  assert.equal(stop?.detail, 'The service stops it: it moved after it had ended.');
});
