import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { initialConfiguration } from '../configuration/silo-configuration.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import { CLOCK_AHEAD_MS_MAX } from '../jobs/polling.ts';
import {
  type OperationRequest,
  planOperation,
  READING_AGE_MS_MAX,
  type SiloAtStart,
  START_EXPIRY_MS,
} from './interlocks.ts';
import { beginOperation, isFinished } from './state.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const silo: SiloAtStart = {
  presence: { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'online' },
  weight: { value: 600_000, tsMs: NOW_MS },
  capacityKg: 1_000,
  configuration: initialConfiguration(NOW_MS),
  isReachable: true,
  operations: [],
};
const feed: OperationRequest = { type: 'feed', amount: 100, rate: 50 };
const discharge: OperationRequest = { type: 'discharge', amount: 100, rate: 50, target_container: 'truck' };

const underWay = beginOperation(
  {
    operationId: 'op_7',
    deviceNo: 1,
    type: 'discharge',
    plan: planOperation(discharge, silo, NOW_MS),
    weight: { valueG: 600_000, tsMs: NOW_MS },
  },
  NOW_MS,
);
const offline = { ...NEVER_SEEN, lastSeenAtMs: null, linkDownAtMs: null, reportedState: null };
const inMaintenance = { ...silo.presence, reportedState: 'maintenance' } as const;
const old = { value: 600_000, tsMs: NOW_MS - READING_AGE_MS_MAX - 1 };

const codeOf = (request: OperationRequest, at: SiloAtStart): ErrorCode | 'accepted' => {
  try {
    planOperation(request, at, NOW_MS);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.code;
  }
};

describe('the plan of an operation', () => {
  it('contains the request and the limits', () => {
    assert.deepEqual(planOperation(discharge, silo, NOW_MS), {
      amountG: 100_000,
      unit: 'kg',
      rateGPerMin: 50_000,
      rateUnit: 'kg/min',
      targetContainer: 'truck',
      maxAmountG: 102_000,
      maxDurationMs: 4 * MINUTE_MS,
      expiresAtMs: NOW_MS + START_EXPIRY_MS,
    });
  });

  it('uses the limit of the device when no rate is given', () => {
    const configuration = {
      ...silo.configuration,
      operation_limits: { max_feed_rate: 7, max_discharge_rate: 9, rate_unit: 'kg/min' },
    } as const;
    const { rate: _, ...unhurried } = feed;
    assert.equal(planOperation(unhurried, { ...silo, configuration }, NOW_MS).rateGPerMin, 7_000);
    const { rate: __, ...emptying } = discharge;
    assert.equal(planOperation(emptying, { ...silo, configuration }, NOW_MS).rateGPerMin, 9_000);
  });

  it('never allows more than the free capacity', () => {
    assert.equal(planOperation({ ...feed, amount: 400 }, silo, NOW_MS).maxAmountG, 400_000);
  });
});

const REFUSALS: readonly (readonly [
  string,
  OperationRequest,
  Partial<SiloAtStart>,
  ErrorCode | 'accepted',
])[] = [
  ['with everything in order', feed, {}, 'accepted'],
  ['on an offline device', feed, { presence: offline }, 'device_offline'],
  ['on a device without a session', feed, { isReachable: false }, 'device_offline'],
  ['without any weight', feed, { weight: undefined }, 'reading_stale'],
  ['with an old weight', feed, { weight: old }, 'reading_stale'],
  ['with a weight just young enough', feed, { weight: { ...old, tsMs: old.tsMs + 1 } }, 'accepted'],
  ['with a weight that cannot be', feed, { weight: { value: -900_000, tsMs: NOW_MS } }, 'reading_stale'],
  ['on a device that is held', feed, { operations: [underWay] }, 'operation_in_progress'],
  ['on a device in maintenance', feed, { presence: inMaintenance }, 'device_in_maintenance'],
  ['at the limit of the rate', { ...feed, rate: 6, rate_unit: 't/h' }, {}, 'accepted'],
  ['above the limit of the rate', { ...feed, rate: 6.001, rate_unit: 't/h' }, {}, 'rate_exceeds_limit'],
  ['that fills the silo', { ...feed, amount: 400 }, {}, 'accepted'],
  ['for which there is no room', { ...feed, amount: 400.001 }, {}, 'insufficient_capacity'],
  ['that is beyond any number', { ...feed, amount: 1e308, unit: 't' }, {}, 'insufficient_capacity'],
  ['that empties the silo', { ...discharge, amount: 600 }, {}, 'accepted'],
  ['of more than is inside', { ...discharge, amount: 0.6001, unit: 't' }, {}, 'insufficient_stock'],
  ['out of less than nothing', discharge, { weight: { value: -10_000, tsMs: NOW_MS } }, 'insufficient_stock'],
  [
    'into less than nothing',
    { ...feed, amount: 1_001 },
    { weight: { value: -9_000, tsMs: NOW_MS } },
    'insufficient_capacity',
  ],
  ['of next to nothing', { ...feed, amount: 0.4, unit: 'g' }, {}, 'invalid_input'],
  ['that would never end', { ...feed, rate: 1e-9 }, {}, 'invalid_input'],
];

for (const [name, request, change, outcome] of REFUSALS) {
  it(`a ${request.type} ${name}: ${outcome}`, () =>
    assert.equal(codeOf(request, { ...silo, ...change }), outcome));
}

describe('an operation whose end the weight does not show yet', () => {
  const completed = (movedG: number): SiloAtStart['operations'][number] => ({
    ...underWay,
    type: 'feed',
    status: 'completed',
    amountCompletedG: movedG,
    largestReportedG: movedG,
    endedAtMs: NOW_MS,
    endTsMs: NOW_MS + 1,
  });
  const most = (
    type: 'feed' | 'discharge',
    at: Partial<SiloAtStart>,
  ): number | ErrorCode | 'accepted' | undefined => {
    const amounts = [0.001, 100, 150, 200, 300, 400, 600];
    const codes = amounts.map((amount) =>
      codeOf({ ...(type === 'feed' ? feed : discharge), amount }, { ...silo, ...at }),
    );
    return amounts[codes.lastIndexOf('accepted')] ?? codes[0];
  };

  it('takes its room from the next feed, and nothing from the next discharge', () => {
    assert.equal(most('feed', {}), 400);
    assert.equal(most('feed', { operations: [completed(250_000)] }), 150);
    assert.equal(most('feed', { operations: [completed(200_000), completed(100_000)] }), 100);
    assert.equal(most('feed', { operations: [completed(400_000)] }), 'insufficient_capacity');
    assert.equal(most('discharge', { operations: [completed(250_000)] }), 600);
  });

  it('takes its material from the next discharge', () => {
    const taken = { ...completed(300_000), type: 'discharge' } as const;
    assert.equal(most('discharge', { operations: [taken] }), 300);
    assert.equal(most('feed', { operations: [taken] }), 400);
  });

  it('takes only what the weight does not show of it', () => {
    const half = { ...completed(200_000), weightAtStartG: 500_000, measuredAtMs: NOW_MS - 1 };
    assert.equal(most('feed', { operations: [half] }), 300);
    const weight = { value: 600_000, tsMs: NOW_MS + 2 };
    assert.equal(most('feed', { operations: [completed(400_000)], weight }), 400);
  });

  it('takes the most that it may have moved if its outcome is not known', () => {
    const unknown = { ...completed(0), isOutcomeUnknown: true, status: 'failed' } as const;
    assert.equal(most('feed', { operations: [unknown] }), 200);
    assert.equal(most('feed', { operations: [{ ...unknown, plan: null }] }), 'reading_stale');
  });

  it('takes nothing if it never began', () => {
    const failure = { reason: 'refused', message: sentence('device_said', { words: 'no' }) } as const;
    assert.equal(most('feed', { operations: [{ ...completed(0), status: 'failed', failure }] }), 400);
  });

  it('takes what a device that refused it reports nevertheless', () => {
    const failure = { reason: 'refused', message: sentence('device_said', { words: 'no' }) } as const;
    assert.equal(most('feed', { operations: [{ ...completed(250_000), status: 'failed', failure }] }), 150);
  });

  it('takes no less than it was asked for when it was completed, than it was allowed to when it failed, and than it ever reported', () => {
    const failure = { reason: 'device_fault', message: sentence('device_said', { words: 'a jam' }) } as const;
    const plan = { ...planOperation(feed, silo, NOW_MS), amountG: 250_000, maxAmountG: 300_000 };
    const reported = (status: 'completed' | 'stopped' | 'failed', largestReportedG: number) => ({
      ...completed(0),
      ...(status === 'failed' ? { failure } : {}),
      plan,
      status,
      largestReportedG,
    });
    assert.equal(most('feed', { operations: [reported('completed', 0)] }), 150);
    assert.equal(most('feed', { operations: [reported('failed', 0)] }), 100);
    assert.equal(most('feed', { operations: [reported('stopped', 0)] }), 400);
    assert.equal(most('feed', { operations: [reported('stopped', 200_000)] }), 200);
  });

  it('says how much the last weight does not show', () => {
    const at = { ...silo, operations: [completed(250_000)] };
    assert.throws(() => planOperation({ ...feed, amount: 200 }, at, NOW_MS), {
      message: 'there is room for 150 kg only: up to 250 kg were moved after the last weight was read',
    });
  });

  it('is known to the next start while a weight from before it counts as fresh by a clock that is ahead', () => {
    const ended = completed(250_000);
    const freshUntilMs = NOW_MS + READING_AGE_MS_MAX + CLOCK_AHEAD_MS_MAX;
    assert.equal(isFinished(ended, freshUntilMs), false);
    assert.equal(isFinished(ended, freshUntilMs + 1), true);
  });
});

describe('a refusal', () => {
  const messageOf = (at: Partial<SiloAtStart>): string => {
    try {
      planOperation(feed, { ...silo, ...at }, NOW_MS);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof Refusal);
      return error.message;
    }
  };

  it('distinguishes a device that reports from one that is offline', () => {
    assert.match(messageOf({ isReachable: false }), /sends readings, but is not connected for commands/);
    assert.match(messageOf({ isReachable: false, presence: offline }), /is offline/);
    assert.match(messageOf({ presence: offline }), /connected, but has sent nothing/);
  });

  it('names the operation that is under way', () => {
    assert.match(
      messageOf({ operations: [underWay] }),
      /^Discharge 100 kg into truck is under way on this device; wait for its end, or stop it$/,
    );
  });
});

describe('of several reasons to refuse', () => {
  const reasons: readonly (readonly [Partial<SiloAtStart>, Partial<OperationRequest>, ErrorCode])[] = [
    [{ presence: offline }, {}, 'device_offline'],
    [{ weight: old }, {}, 'reading_stale'],
    [{ operations: [underWay] }, {}, 'operation_in_progress'],
    [{ presence: inMaintenance }, {}, 'device_in_maintenance'],
    [{}, { rate: 1e6 }, 'rate_exceeds_limit'],
    [{}, { amount: 1e6 }, 'insufficient_capacity'],
  ];

  it('the first in order is given', () => {
    fc.assert(
      fc.property(fc.subarray([...reasons.keys()], { minLength: 1 }), (chosen) => {
        const inOrder = chosen.map((index) => reasons[index]).filter((reason) => reason !== undefined);
        const at = Object.assign({}, silo, ...inOrder.map(([change]) => change).toReversed());
        const request = Object.assign({}, feed, ...inOrder.map(([, change]) => change));
        assert.equal(codeOf(request, at), inOrder[0]?.[2]);
      }),
    );
  });
});
