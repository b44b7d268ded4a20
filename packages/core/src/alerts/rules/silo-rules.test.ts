import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALERT_TYPES, type AlertType } from '@granary/contract/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import { toIso } from '@granary/contract/time';
import { initialConfiguration } from '../../configuration/silo-configuration.ts';
import { FRESHNESS_MS, NEVER_SEEN } from '../../devices/status.ts';
import { STOP_CONFIRMATION_MS_MAX } from '../../operations/declared-end.ts';
import { beginOperation, type OperationState } from '../../operations/state.ts';
import { standardSensorsOf } from '../../sensors/standard-sensors.ts';
import type { Condition } from '../lifecycle.ts';
import type { Observed } from '../observation.ts';
import { conditionsOf, type SiloFacts } from './silo-rules.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const OLD_MS = NOW_MS - FRESHNESS_MS - 1;

type Facts = SiloFacts & Observed;

const configuration = initialConfiguration(NOW_MS);
const online = { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'online' } as const;
const goneFor = (ms: number) => ({ ...online, lastSeenAtMs: NOW_MS - ms, linkDownAtMs: NOW_MS - ms });
const offline = goneFor(online.offlineDelayMs);

const facts: Facts = {
  deviceNo: 1,
  presence: online,
  capacityKg: 1_000,
  sensors: standardSensorsOf('silo_scale'),
  latest: {
    weight: { value: 500_000, tsMs: NOW_MS },
    temperature: { value: 12_000, tsMs: NOW_MS },
    humidity: { value: 40_000, tsMs: NOW_MS },
  },
  configuration,
  operations: [],
  observedSinceMs: 0,
  onlineSinceMs: 0,
  dueAtMs: null,
};

const started = beginOperation(
  {
    operationId: 'op_1',
    deviceNo: 1,
    type: 'feed',
    weight: { valueG: 500_000, tsMs: NOW_MS },
    plan: {
      amountG: 100_000,
      unit: 'kg',
      rateGPerMin: 100_000,
      rateUnit: 'kg/min',
      targetContainer: null,
      maxAmountG: 102_000,
      maxDurationMs: 150_000,
      expiresAtMs: NOW_MS,
    },
  },
  NOW_MS - 1_000,
);
const completed: OperationState = {
  ...started,
  status: 'completed',
  endedAtMs: NOW_MS - 100,
  amountCompletedG: 100_000,
  measuredG: 99_000,
  measuredAtMs: NOW_MS,
  isWeighedAfterEnd: true,
};
const failure = { reason: 'no_movement', message: sentence('weight_does_not_move') } as const;
const failed: OperationState = { ...completed, status: 'failed', failure };
const notSent: OperationState = {
  ...failed,
  undelivered: 'not_connected',
  failure: { reason: 'not_sent', message: sentence('start_not_sent', { why: 'expired' }) },
};
const later: OperationState = { ...started, operationId: 'op_2', startedAtMs: NOW_MS };
const unasked: OperationState = { ...started, operationId: 'local-1', plan: null, status: 'in_progress' };
/** A stop that was requested so long ago that the device should have confirmed it. */
const unstopped: OperationState = {
  ...started,
  status: 'stopping',
  stopRequestedAtMs: NOW_MS - STOP_CONFIRMATION_MS_MAX,
};

const conditionOf = (type: AlertType, change: Partial<Facts>, nowMs = NOW_MS): Condition => {
  const found = conditionsOf({ ...facts, ...change }, nowMs).filter((condition) => condition.type === type);
  const [condition] = found;
  assert.ok(condition !== undefined && found.length === 1, `${type} is named once`);
  return condition;
};

const weighing = (percent: number): Partial<Facts> => ({
  latest: { ...facts.latest, weight: { value: percent * 10_000, tsMs: NOW_MS } },
});
const withCritical = (percent: number, critical_level: number): Partial<Facts> => ({
  ...weighing(percent),
  configuration: { ...configuration, thresholds: { ...configuration.thresholds, critical_level } },
});
const withLatest = (latest: Facts['latest']): Partial<Facts> => ({
  latest: { ...facts.latest, ...latest },
});

const LATE_MS = NOW_MS + 10 * FRESHNESS_MS;

describe('a late evaluation of a silo', () => {
  const lowAt = (dueAtMs: number | null) =>
    conditionOf('low_level', { ...weighing(15), dueAtMs, observedSinceMs: LATE_MS }, LATE_MS).state;

  it('judges the weight as at the time when it was due', () => {
    assert.equal(lowAt(NOW_MS), 'present');
    assert.equal(lowAt(NOW_MS + FRESHNESS_MS), 'present');
    assert.equal(lowAt(NOW_MS + FRESHNESS_MS + 1), 'indeterminate');
  });

  it('that is not due yet judges it as at the present', () => {
    assert.equal(lowAt(LATE_MS + 1), 'indeterminate');
    assert.equal(lowAt(null), 'indeterminate');
  });

  it('also finds an implausible value, and blames no silence', () => {
    const wrong = { ...withLatest({ humidity: { value: 400_000, tsMs: NOW_MS } }), dueAtMs: NOW_MS };
    const late = { ...wrong, observedSinceMs: LATE_MS };
    assert.equal(conditionOf('sensor_fault', late, LATE_MS).state, 'present');
    assert.notEqual(conditionOf('sensor_stale', late, LATE_MS).state, 'present');
    assert.notEqual(conditionOf('device_offline', late, LATE_MS).state, 'present');
  });
});

type Outcome = 'absent' | 'indeterminate' | 'info' | 'warning' | 'critical';

const TABLE: readonly (readonly [AlertType, string, Partial<Facts>, Outcome])[] = [
  ['low_level', 'in the middle', {}, 'absent'],
  ['low_level', 'at the threshold', weighing(20), 'warning'],
  ['low_level', 'a gram above it', weighing(20.0001), 'indeterminate'],
  ['low_level', 'at the end of the dead band', weighing(21), 'indeterminate'],
  ['low_level', 'beyond the dead band', weighing(21.0001), 'absent'],
  ['low_level', 'a little below empty', weighing(-1), 'warning'],
  ['low_level', 'impossibly empty', weighing(-3), 'indeterminate'],
  ['low_level', 'low, but long ago', withLatest({ weight: { value: 0, tsMs: OLD_MS } }), 'indeterminate'],
  ['low_level', 'without any weight', { latest: {} }, 'indeterminate'],
  ['high_level', 'at the threshold', weighing(90), 'warning'],
  ['high_level', 'a gram below it', weighing(89.9999), 'indeterminate'],
  ['high_level', 'at the end of the dead band', weighing(89), 'indeterminate'],
  ['high_level', 'below the dead band', weighing(88.9999), 'absent'],
  ['critical_level', 'low, but not that low', weighing(15), 'absent'],
  ['critical_level', 'at the bottom', weighing(10), 'critical'],
  ['critical_level', 'at the top, which it does not guard', weighing(99), 'absent'],
  ['critical_level', 'at the top, which it guards', withCritical(95, 95), 'critical'],
  ['critical_level', 'at the bottom, which it does not guard', withCritical(1, 95), 'absent'],
  ['sensor_stale', 'in order', {}, 'absent'],
  ['sensor_stale', 'silent in one sensor', withLatest({ humidity: { value: 0, tsMs: OLD_MS } }), 'warning'],
  [
    'sensor_stale',
    'silent, but not listened to for long enough',
    { ...withLatest({ humidity: { value: 0, tsMs: OLD_MS } }), observedSinceMs: NOW_MS - FRESHNESS_MS },
    'indeterminate',
  ],
  [
    'sensor_stale',
    'silent since the service listens',
    { ...withLatest({ humidity: { value: 0, tsMs: 0 } }), observedSinceMs: OLD_MS },
    'warning',
  ],
  [
    'sensor_stale',
    'back online a moment ago',
    { ...withLatest({ humidity: { value: 0, tsMs: OLD_MS } }), onlineSinceMs: NOW_MS - FRESHNESS_MS },
    'indeterminate',
  ],
  [
    'sensor_stale',
    'reporting what cannot be true',
    withLatest({ temperature: { value: 1e6, tsMs: NOW_MS } }),
    'absent',
  ],
  ['sensor_fault', 'in order', {}, 'absent'],
  ['sensor_fault', 'heavier than it can be', weighing(110.0001), 'warning'],
  [
    'sensor_fault',
    'said to be invalid by the device',
    withLatest({ humidity: { value: 50_000, tsMs: NOW_MS, isBad: true } }),
    'warning',
  ],
  ['sensor_fault', 'as heavy as it can be', weighing(110), 'absent'],
  ['sensor_fault', 'too humid', withLatest({ humidity: { value: 100_001, tsMs: NOW_MS } }), 'warning'],
  [
    'sensor_fault',
    'too hot, long ago',
    withLatest({ temperature: { value: 1e6, tsMs: OLD_MS } }),
    'indeterminate',
  ],
  ['sensor_fault', 'offline', { presence: offline }, 'indeterminate'],
  [
    'sensor_fault',
    'in maintenance',
    { presence: { ...online, reportedState: 'maintenance' } },
    'indeterminate',
  ],
  ['sensor_stale', 'without some sensor', { latest: { humidity: { value: 0, tsMs: NOW_MS } } }, 'absent'],
  ['sensor_stale', 'offline', { presence: offline }, 'indeterminate'],
  [
    'sensor_stale',
    'in maintenance',
    { presence: { ...online, reportedState: 'maintenance' } },
    'indeterminate',
  ],
  ['device_offline', 'in order', {}, 'absent'],
  ['device_offline', 'offline', { presence: offline }, 'warning'],
  ['device_offline', 'offline for less than its delay', { presence: goneFor(29_999) }, 'indeterminate'],
  [
    'device_offline',
    'offline without a delay',
    { presence: { ...goneFor(0), offlineDelayMs: 0 } },
    'warning',
  ],
  [
    'device_offline',
    'silent for less than its delay',
    { presence: { ...online, lastSeenAtMs: NOW_MS - FRESHNESS_MS - 30_000 } },
    'indeterminate',
  ],
  [
    'device_offline',
    'silent for its delay',
    { presence: { ...online, lastSeenAtMs: NOW_MS - FRESHNESS_MS - 30_001 } },
    'warning',
  ],
  [
    'device_offline',
    'gone before the service listened',
    { presence: goneFor(3_600_000), observedSinceMs: NOW_MS - FRESHNESS_MS - 30_000 },
    'indeterminate',
  ],
  [
    'device_offline',
    'still gone after that',
    { presence: goneFor(3_600_000), observedSinceMs: NOW_MS - FRESHNESS_MS - 30_001 },
    'warning',
  ],
  ['device_offline', 'offline in an operation', { presence: offline, operations: [started] }, 'critical'],
  ['device_offline', 'offline after one', { presence: offline, operations: [completed] }, 'warning'],
  ['device_offline', 'never heard of', { presence: { ...offline, lastSeenAtMs: null } }, 'absent'],
  ['operation_failed', 'without operations', {}, 'absent'],
  ['operation_failed', 'after a good operation', { operations: [completed] }, 'absent'],
  ['operation_failed', 'after a failed one', { operations: [failed] }, 'warning'],
  ['operation_failed', 'in one that is failing', { operations: [{ ...started, failure }] }, 'critical'],
  ['operation_failed', 'when a new one has begun', { operations: [failed, later] }, 'absent'],
  [
    'operation_failed',
    'with a failing one besides',
    { operations: [{ ...started, failure }, later] },
    'critical',
  ],
  ['operation_failed', 'moving unasked', { operations: [unasked] }, 'info'],
  ['operation_failed', 'moving unasked besides', { operations: [unasked, later] }, 'warning'],
  ['operation_failed', 'failing unasked', { operations: [{ ...unasked, failure }] }, 'critical'],
  ['operation_failed', 'that does not confirm its stop', { operations: [unstopped] }, 'critical'],
  ['operation_failed', 'unstopped unasked', { operations: [{ ...unstopped, plan: null }] }, 'critical'],
  [
    'operation_failed',
    'that was told to stop a moment ago',
    { operations: [{ ...unstopped, stopRequestedAtMs: NOW_MS - STOP_CONFIRMATION_MS_MAX + 1 }] },
    'absent',
  ],
  [
    'operation_failed',
    'that moved again a moment ago',
    { operations: [{ ...unstopped, reopenedAtMs: NOW_MS - 1 }] },
    'absent',
  ],
  [
    'operation_failed',
    'unstopped while the service was down',
    { operations: [unstopped], observedSinceMs: NOW_MS - 1 },
    'absent',
  ],
  ['operation_failed', 'whose start was not sent', { operations: [notSent] }, 'absent'],
  ['operation_failed', 'after moving unasked', { operations: [{ ...completed, plan: null }] }, 'absent'],
  ['mass_imbalance', 'without operations', {}, 'absent'],
  ['mass_imbalance', 'after a good operation', { operations: [completed] }, 'absent'],
  [
    'mass_imbalance',
    'when half is missing',
    { operations: [{ ...completed, measuredG: 50_000 }] },
    'warning',
  ],
  [
    'mass_imbalance',
    'not weighed yet',
    { operations: [{ ...completed, isWeighedAfterEnd: false }] },
    'indeterminate',
  ],
  [
    'mass_imbalance',
    'when another operation moved something, too',
    { operations: [{ ...completed, measuredG: 0, isWeighable: false }] },
    'indeterminate',
  ],
  [
    'mass_imbalance',
    'when the device did not report how much it moved',
    { operations: [{ ...completed, status: 'stopped', amountCompletedG: 0, isOutcomeUnknown: true }] },
    'indeterminate',
  ],
  [
    'mass_imbalance',
    'in an operation',
    { operations: [{ ...completed, measuredG: 0 }, later] },
    'indeterminate',
  ],
];

for (const [type, name, change, outcome] of TABLE) {
  it(`${type} of a silo ${name} is ${outcome}`, () => {
    const condition = conditionOf(type, change);
    assert.equal(condition.state === 'present' ? condition.severity : condition.state, outcome);
  });
}

it('operation_failed of one that does not confirm its stop says that it may still move', () => {
  const condition = conditionOf('operation_failed', { operations: [unstopped] });
  assert.ok(condition.state === 'present');
  assert.match(
    inEnglish(condition.message),
    /^Feed 100 kg: the device has not confirmed the stop, so it may still be moving/,
  );
});

it('operation_failed of one that was started at the device claims no failure', () => {
  const condition = conditionOf('operation_failed', { operations: [unasked] });
  assert.ok(condition.state === 'present');
  assert.match(inEnglish(condition.message), /was started at the device, not through this service/);
});

describe('maintenance', () => {
  const due = {
    ...configuration,
    maintenance: { ...configuration.maintenance, next_scheduled: toIso(NOW_MS) },
  };

  it('is due from its very moment on', () => {
    assert.equal(conditionOf('maintenance_due', { configuration: due }, NOW_MS - 1).state, 'absent');
    const condition = conditionOf('maintenance_due', { configuration: due });
    assert.deepEqual([condition.state, 'severity' in condition && condition.severity], ['present', 'info']);
  });
});

describe('a condition', () => {
  it('says what is wrong, with the numbers', () => {
    assert.deepEqual(conditionOf('low_level', weighing(18.25)), {
      type: 'low_level',
      state: 'present',
      severity: 'warning',
      currentValue: 18.25,
      threshold: 20,
      cause: null,
      message: sentence('level_below', { level: 18.25, limit: 20 }),
      valueStep: 1,
    });
  });

  it('about sensors names each of them, with its value and range', () => {
    const wrong = withLatest({
      weight: { value: 99_999_000, tsMs: NOW_MS },
      humidity: { value: -1_000, tsMs: NOW_MS },
    });
    const fault = conditionOf('sensor_fault', wrong);
    assert.ok(fault.state === 'present');
    assert.deepEqual([fault.currentValue, fault.threshold, fault.cause], [99_999, 1_100, 'weight,humidity']);
    assert.equal(
      inEnglish(fault.message),
      'Weight reads 99999 kg, which cannot be true: it is outside -20 kg to 1100 kg; ' +
        'humidity reads -1 %, which cannot be true: it is outside 0 % to 100 %',
    );
  });

  it('about silence names the sensors that are silent now, the longest silence first', () => {
    const silent = withLatest({
      weight: { value: 0, tsMs: OLD_MS },
      temperature: { value: 0, tsMs: OLD_MS - 10_000 },
    });
    const stale = conditionOf('sensor_stale', silent);
    assert.ok(stale.state === 'present');
    assert.deepEqual([stale.currentValue, stale.threshold, stale.cause], [40, 30, 'temperature,weight']);
    assert.equal(
      inEnglish(stale.message),
      'No temperature since 2026-03-01T11:59:19.999Z, no weight since 2026-03-01T11:59:29.999Z, although the device is online',
    );
    const weightIsBack = conditionOf('sensor_stale', withLatest({ temperature: { value: 0, tsMs: OLD_MS } }));
    assert.ok(weightIsBack.state === 'present');
    assert.match(
      inEnglish(weightIsBack.message),
      /^No temperature since [^,]*, although the device is online$/,
    );
  });

  it('about an operation says which', () => {
    const condition = conditionOf('operation_failed', { operations: [completed, { ...later, failure }] });
    assert.equal(condition.state === 'present' && condition.cause, 'op_2');
  });

  it('is known by a type of the contract', () => {
    for (const { type } of conditionsOf(facts, NOW_MS)) assert.ok(ALERT_TYPES.includes(type));
  });
});
