import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationStatus } from '@granary/contract/operations';
import {
  declaration,
  LATE_MS,
  report,
  SITUATIONS,
  type Situation,
  SOON_MS,
  START_MS,
  tick,
} from '@granary/testing/core/operation-situations';
import { FRESHNESS_MS } from '../devices/status.ts';
import { STOP_CONFIRMATION_MS_MAX } from './declared-end.ts';
import { holdsDevice, type OperationState } from './state.ts';
import { advanceOperation, type OperationInput } from './transitions.ts';

const INPUTS = {
  stop: [{ kind: 'stop' }, SOON_MS],
  accepted: [{ kind: 'ack', accepted: true, reason: null }, SOON_MS],
  refused: [{ kind: 'ack', accepted: false, reason: 'jam' }, SOON_MS],
  running: [report('running'), SOON_MS],
  completed: [report('completed'), SOON_MS],
  stopped: [report('stopped'), SOON_MS],
  failed: [report('failed'), SOON_MS],
  'declared too early': [declaration, SOON_MS],
  declared: [declaration, START_MS + STOP_CONFIRMATION_MS_MAX],
  'not sent': [{ kind: 'not_sent', why: 'not_connected' }, SOON_MS],
  'unknown in time': [report('unknown'), SOON_MS],
  'unknown too late': [report('unknown'), LATE_MS],
  'tick at once': [tick(), START_MS + 1],
  'tick after silence': [tick(), START_MS + FRESHNESS_MS],
  'tick offline': [tick({ isReachable: false }), SOON_MS],
} as const satisfies Record<string, readonly [OperationInput, number]>;

type Outcome = OperationStatus | `${OperationStatus}, send ${'stop' | 'report'}`;

const STAYS_ENDED = {
  completed: 'completed',
  stopped: 'stopped',
  'failed by the device': 'failed',
  'stopped as unknown': 'stopped',
  'failed as unknown': 'failed',
  'failed as unknown, unheard': 'failed',
  'failed as not sent': 'failed',
  'failed as declared': 'failed',
  'failed as declared, failing': 'failed',
  'failed as refused': 'failed',
} as const;

const REOPENED = {
  completed: 'stopping, send stop',
  stopped: 'stopping, send stop',
  'failed by the device': 'stopping, send stop',
  'stopped as unknown': 'stopping, send stop',
  'failed as unknown': 'stopping, send stop',
  'failed as unknown, unheard': 'stopping, send stop',
  'failed as not sent': 'stopping, send stop',
  'failed as declared': 'stopping, send stop',
  'failed as declared, failing': 'stopping, send stop',
  'failed as refused': 'stopping, send stop',
} as const;

const TABLE: Record<keyof typeof INPUTS, Record<Situation, Outcome>> = {
  stop: {
    started: 'stopping, send stop',
    in_progress: 'stopping, send stop',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'stopping, send stop',
    unconfirmed: 'stopping, send stop',
    ...STAYS_ENDED,
  },
  accepted: {
    started: 'in_progress',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'in_progress',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
    'failed as unknown, unheard': 'stopping, send stop',
    'failed as not sent': 'stopping, send stop',
    'failed as refused': 'stopping, send stop',
  },
  refused: {
    started: 'failed',
    in_progress: 'in_progress',
    'stopping, unheard': 'failed',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
  running: {
    started: 'in_progress',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'in_progress',
    unconfirmed: 'in_progress',
    ...REOPENED,
  },
  completed: {
    started: 'completed',
    in_progress: 'completed',
    'stopping, unheard': 'completed',
    stopping: 'completed',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'completed',
    unconfirmed: 'completed',
    ...STAYS_ENDED,
    'stopped as unknown': 'completed',
    'failed as unknown': 'completed',
    'failed as unknown, unheard': 'completed',
    'failed as not sent': 'completed',
    'failed as declared': 'completed',
  },
  stopped: {
    started: 'stopped',
    in_progress: 'stopped',
    'stopping, unheard': 'stopped',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'stopped',
    unconfirmed: 'stopped',
    ...STAYS_ENDED,
    'failed as unknown': 'stopped',
    'failed as unknown, unheard': 'stopped',
    'failed as not sent': 'stopped',
    'failed as declared': 'stopped',
  },
  failed: {
    started: 'failed',
    in_progress: 'failed',
    'stopping, unheard': 'failed',
    stopping: 'failed',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
    'stopped as unknown': 'failed',
  },
  'declared too early': {
    started: 'started',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'unconfirmed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  declared: {
    started: 'started',
    in_progress: 'in_progress',
    'stopping, unheard': 'failed',
    stopping: 'failed',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'not sent': {
    started: 'failed',
    in_progress: 'in_progress',
    'stopping, unheard': 'failed',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
  'unknown in time': {
    started: 'started',
    in_progress: 'failed',
    'stopping, unheard': 'stopping',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'unconfirmed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'unknown too late': {
    started: 'failed',
    in_progress: 'failed',
    'stopping, unheard': 'stopped',
    stopping: 'stopped',
    'stopping, failing': 'failed',
    'unconfirmed, unheard': 'failed',
    unconfirmed: 'failed',
    ...STAYS_ENDED,
  },
  'tick at once': {
    started: 'started',
    in_progress: 'in_progress',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'unconfirmed, send report',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
  'tick after silence': {
    started: 'unconfirmed, send report',
    in_progress: 'unconfirmed, send report',
    'stopping, unheard': 'stopping, send stop',
    stopping: 'stopping, send stop',
    'stopping, failing': 'stopping, send stop',
    'unconfirmed, unheard': 'unconfirmed, send report',
    unconfirmed: 'unconfirmed, send report',
    ...STAYS_ENDED,
  },
  'tick offline': {
    started: 'unconfirmed',
    in_progress: 'unconfirmed',
    'stopping, unheard': 'stopping',
    stopping: 'stopping',
    'stopping, failing': 'stopping',
    'unconfirmed, unheard': 'unconfirmed',
    unconfirmed: 'unconfirmed',
    ...STAYS_ENDED,
  },
};

const keysOf = <K extends string>(record: Record<K, unknown>): K[] => Object.keys(record) as K[];

for (const name of keysOf(INPUTS)) {
  describe(`on ${name}, an operation that is`, () => {
    for (const situation of keysOf(SITUATIONS)) {
      const outcome = TABLE[name][situation];
      it(`${situation} becomes ${outcome}`, () => {
        const [input, nowMs] = INPUTS[name];
        const { operation, send } = advanceOperation(SITUATIONS[situation], input, nowMs);
        assert.equal(send === null ? operation.status : `${operation.status}, send ${send}`, outcome);
        assert.equal(operation.endedAtMs !== null, !holdsDevice(operation));
        assert.equal(operation.failure !== null, operation.status === 'failed' || isFailing(operation));
      });
    }
  });
}

const isFailing = ({ status, failure }: OperationState): boolean =>
  status === 'stopping' && (failure?.reason === 'no_movement' || failure?.reason === 'device_fault');
