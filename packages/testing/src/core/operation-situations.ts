import type { ProgressState } from '@granary/contract/link/messages';
import type { FailureReason } from '@granary/contract/operations';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS } from '@granary/contract/time';
import {
  beginOperation,
  type OperationPlan,
  type OperationState,
  START_SKEW_MS,
} from '@granary/core/operations/state';
import type { OperationInput, Tick } from '@granary/core/operations/transitions';

export const START_MS = 1_000_000_000_000;
export const SOON_MS = START_MS + 1_000;
const CAPACITY_G = 10_000_000;

export const plan: OperationPlan = {
  amountG: 1_000_000,
  unit: 'kg',
  rateGPerMin: 100_000,
  rateUnit: 'kg/min',
  targetContainer: null,
  maxAmountG: 1_020_000,
  maxDurationMs: 16 * MINUTE_MS,
  expiresAtMs: START_MS + 10_000,
};

export const started = beginOperation(
  { operationId: 'op_1', deviceNo: 1, type: 'feed', plan, weight: { valueG: 5_000_000, tsMs: START_MS } },
  START_MS,
);
const heard = { acknowledgedAtMs: START_MS, lastHeardAtMs: START_MS };
const stopSent = { status: 'stopping', stopRequestedAtMs: START_MS, stopSentAtMs: START_MS } as const;
const ended = { ...started, ...heard, endedAtMs: START_MS };
const failedFor = (reason: FailureReason): OperationState => ({
  ...ended,
  status: 'failed',
  failure: { reason, message: sentence('no_longer_known', {}) },
});

const LOOKED = { reason: 'the gate is closed', lookedBy: 'Ada', atMs: START_MS, by: null };

/** Every state of an operation for which the behaviour differs. */
export const SITUATIONS = {
  started,
  in_progress: { ...started, ...heard, status: 'in_progress' },
  'stopping, unheard': { ...started, ...stopSent },
  stopping: { ...started, ...heard, ...stopSent },
  'stopping, failing': {
    ...started,
    ...heard,
    ...stopSent,
    failure: { reason: 'no_movement', message: sentence('weight_does_not_move') },
  },
  'unconfirmed, unheard': { ...started, status: 'unconfirmed' },
  unconfirmed: { ...started, ...heard, status: 'unconfirmed' },
  completed: { ...ended, status: 'completed' },
  stopped: { ...ended, status: 'stopped' },
  'failed by the device': failedFor('device_fault'),
  'stopped as unknown': { ...ended, status: 'stopped', isOutcomeUnknown: true },
  'failed as unknown': { ...failedFor('outcome_unknown'), isOutcomeUnknown: true },
  'failed as unknown, unheard': {
    ...failedFor('outcome_unknown'),
    isOutcomeUnknown: true,
    acknowledgedAtMs: null,
  },
  'failed as not sent': { ...failedFor('not_sent'), undelivered: 'not_connected', acknowledgedAtMs: null },
  'failed as declared': {
    ...failedFor('declared_ended'),
    declared: { ...LOOKED, failureBefore: null },
  },
  'failed as declared, failing': {
    ...failedFor('declared_ended'),
    declared: {
      ...LOOKED,
      failureBefore: { reason: 'no_movement', message: sentence('weight_does_not_move') },
    },
  },
  'failed as refused': { ...failedFor('refused'), acknowledgedAtMs: null },
} as const satisfies Record<string, OperationState>;

export type Situation = keyof typeof SITUATIONS;

export const report = (state: ProgressState): OperationInput & { kind: 'progress' } => ({
  kind: 'progress',
  state,
  amountG: 1_000,
  reason: null,
  tsMs: SOON_MS,
});
export const tick = (change: Partial<Tick> = {}): Tick => ({
  kind: 'tick',
  isReachable: true,
  isNewSession: false,
  weight: null,
  capacityG: CAPACITY_G,
  ...change,
});

export const declaration: OperationInput & { kind: 'declare_ended' } = {
  kind: 'declare_ended',
  declaration: { reason: 'the gate is closed', looked_by: 'Ada', by: null },
};

export const LATE_MS = plan.expiresAtMs + START_SKEW_MS + 1;
