import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALERT_STATUSES } from '@granary/contract/alerts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import type { NamedValues } from '@granary/testing/core/readings';
import fc from 'fast-check';
import { initialConfiguration } from '../configuration/silo-configuration.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import { STOP_CONFIRMATION_MS_MAX } from '../operations/declared-end.ts';
import { unsolicitedOperation } from '../operations/state.ts';
import { STANDARD_SENSORS, standardSensorsOf } from '../sensors/standard-sensors.ts';
import { isBelievable } from '../telemetry/plausibility.ts';
import type { NewestValue } from '../telemetry/readings.ts';
import { evaluateAlerts, nextEvaluationAtMs } from './evaluation.ts';
import { type AlertDelays, type AlertState, acknowledgeAlert } from './lifecycle.ts';
import { DEFAULT_MONITORING, delaysOf } from './monitoring.ts';
import { isWithinNoChangeRanges, noChangeRanges } from './no-change-ranges.ts';
import type { Observed } from './observation.ts';
import { alertEvents } from './record.ts';
import { levelValueConditions } from './rules/level-rules.ts';
import { type SiloFacts, siloRules } from './rules/silo-rules.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
const CAPACITY_KG = 1_000;
const DEFAULT_DELAYS = delaysOf(DEFAULT_MONITORING.alarms);

type Facts = SiloFacts & Observed;
const GRAMS_PER_POINT = 10_000;

const configuration = initialConfiguration(START_MS);

const factsAt = (percent: number, nowMs: number): Facts => ({
  deviceNo: 1,
  presence: { ...NEVER_SEEN, lastSeenAtMs: nowMs, linkDownAtMs: null, reportedState: 'online' },
  capacityKg: CAPACITY_KG,
  sensors: standardSensorsOf('silo_scale'),
  latest: { weight: { value: Math.round(percent * GRAMS_PER_POINT), tsMs: nowMs } },
  configuration,
  operations: [],
  observedSinceMs: 0,
  onlineSinceMs: 0,
  dueAtMs: null,
});

const LEVELS = levelValueConditions(configuration, CAPACITY_KG * 1_000);
const rangesOf = (open: readonly AlertState[]) => noChangeRanges(LEVELS, open);

/** A silo's alerts, kept as a store would keep them. */
class Alerts {
  readonly all: AlertState[] = [];
  readonly events: string[] = [];
  readonly delays: AlertDelays;
  #count = 0;

  constructor(delays: AlertDelays = DEFAULT_DELAYS) {
    this.delays = delays;
  }

  get open(): AlertState[] {
    return this.all.filter(({ status }) => status !== 'resolved');
  }

  evaluate(facts: Facts, nowMs: number): number {
    const newAlertId = () => `al_${++this.#count}`;
    const changes = evaluateAlerts(siloRules, facts, this.open, { delays: this.delays, newAlertId }, nowMs);
    for (const { before, after } of changes) {
      this.events.push(...alertEvents(before, after));
      this.replace(before, after);
    }
    return changes.length;
  }

  replace(before: AlertState | null, after: AlertState | null): void {
    const index = before === null ? this.all.length : this.all.indexOf(before);
    this.all.splice(index, 1, ...(after === null ? [] : [after]));
  }
}

/** Pseudo-random numbers with a normal distribution, the same in every run. */
function* gaussians(): Generator<number, never> {
  let seed = 42;
  const uniform = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed + 0.5) / 2 ** 32;
  };
  for (;;) yield Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

describe('noise of 0.4 points around a threshold for an hour', () => {
  const { low_level, high_level, critical_level } = configuration.thresholds;
  for (const [threshold, types] of [
    [low_level, ['low_level']],
    [high_level, ['high_level']],
    [critical_level, ['low_level', 'critical_level']],
  ] as const) {
    it(`raises one alert at ${threshold} %`, () => {
      const alerts = new Alerts();
      const noise = gaussians();
      for (let nowMs = START_MS; nowMs < START_MS + HOUR_MS; nowMs += SECOND_MS) {
        alerts.evaluate(factsAt(threshold + 0.4 * noise.next().value, nowMs), nowMs);
      }
      assert.deepEqual(
        alerts.all.map(({ type }) => type),
        types,
      );
      assert.deepEqual(
        alerts.events,
        types.map(() => 'alert.raised'),
      );
    });
  }
});

/** One second of a silo: its weight may jump, it may stop reporting, and a person may acknowledge or shelve an alert. */
const moment = fc.record({
  percent: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(10, 19, 20, 20.5, 21, 21.5, 50, 88.5, 89.5, 90, 99) },
    { weight: 1, arbitrary: fc.double({ min: -5, max: 115, noNaN: true }) },
  ),
  pauseMs: fc.constantFrom(1_000, 1_000, 1_000, 4_999, 5_000, 31_000),
  humidity: fc.option(fc.constantFrom(40_000, 40_000, 200_000)),
  acknowledges: fc.boolean(),
  shelves: fc.boolean(),
});
type Moment = typeof moment extends fc.Arbitrary<infer M> ? M : never;

const delays = fc.record({ onMs: fc.constantFrom(0, 3_000), offMs: fc.constantFrom(0, 5_000) });
const watched = fc.record({
  offlineDelayMs: fc.constantFrom(0, 500, 30_000),
  observedSinceMs: fc.constantFrom(0, START_MS, START_MS + 20_000),
  onlineSinceMs: fc.constantFrom(0, START_MS + 2_000),
});
const life = fc.tuple(fc.array(moment, { maxLength: 40 }), delays, watched);

const readingOf = ({ percent, humidity }: Moment) => ({
  weight: Math.round(percent * GRAMS_PER_POINT),
  ...(humidity === null ? {} : { humidity }),
});

/** The newest values of a batch with one reading. */
const newest = (values: NamedValues): NewestValue[] =>
  Object.entries(values).map(([name, value]) => {
    const sensor = STANDARD_SENSORS[name as keyof NamedValues];
    const isBad = !isBelievable(sensor, { value, tsMs: START_MS }, CAPACITY_KG);
    return { deviceNo: 1, ...sensor.lane, value, tsMs: START_MS, isBad };
  });

function heard(facts: Facts, reading: ReturnType<typeof readingOf>, nowMs: number): Facts {
  const latest = Object.entries(reading).map(([channel, value]) => [channel, { value, tsMs: nowMs }]);
  return {
    ...facts,
    presence: { ...facts.presence, lastSeenAtMs: nowMs },
    latest: { ...facts.latest, ...Object.fromEntries(latest) },
  };
}

function touch(alerts: Alerts, { acknowledges, shelves }: Moment, nowMs: number): void {
  const [alert] = alerts.open;
  if (alert === undefined) return;
  const shelved = shelves ? { ...alert, shelvedUntilMs: nowMs + 7_000 } : alert;
  alerts.replace(
    alert,
    acknowledges ? acknowledgeAlert(shelved, { acknowledged_by: 'Ida' }, nowMs, null) : shelved,
  );
}

const silent: Facts = {
  ...factsAt(50, START_MS),
  configuration: {
    ...configuration,
    maintenance: { ...configuration.maintenance, next_scheduled: toIso(START_MS + MINUTE_MS) },
  },
};

/** Goes through all moments, evaluates the alerts before and after each of them, and calls `check` in between. */
function live(
  moments: readonly Moment[],
  given: AlertDelays,
  { offlineDelayMs, ...observed }: typeof watched extends fc.Arbitrary<infer W> ? W : never,
  check: (alerts: Alerts, facts: Facts, nowMs: number, next: Moment) => void,
): void {
  const alerts = new Alerts(given);
  let facts: Facts = { ...silent, ...observed, presence: { ...silent.presence, offlineDelayMs } };
  let nowMs = START_MS;
  for (const next of moments) {
    alerts.evaluate(facts, nowMs);
    check(alerts, facts, nowMs, next);
    nowMs += next.pauseMs;
    alerts.evaluate(facts, nowMs);
    facts = heard(facts, readingOf(next), nowMs);
    alerts.evaluate(facts, nowMs);
    touch(alerts, next, nowMs);
  }
}

const still = { acknowledges: false, shelves: false };
/** A sensor that stops reporting, reports once while its device is offline, and stops again. */
const HEARD_BETWEEN: Parameters<typeof live>[0] = [
  { percent: 0, pauseMs: 1_000, humidity: 40_000, ...still },
  { percent: 0, pauseMs: 1_000, humidity: null, ...still },
  { percent: 10, pauseMs: 31_000, humidity: null, ...still },
  { percent: 0, pauseMs: 1_000, humidity: 40_000, ...still },
  { percent: 10, pauseMs: 31_000, humidity: null, ...still },
  { percent: 10, pauseMs: 1_000, humidity: null, ...still },
];
const ALWAYS_ONLINE = { offlineDelayMs: 0, observedSinceMs: 0, onlineSinceMs: 0 };

const whatever = (check: Parameters<typeof live>[3]): void =>
  fc.assert(
    fc.property(life, ([moments, given, how]) => live(moments, given, how, check)),
    { numRuns: 300, examples: [[[HEARD_BETWEEN, { onMs: 0, offMs: 5_000 }, ALWAYS_ONLINE]]] },
  );

describe('whatever a silo goes through', () => {
  it('no type of alert is open twice, and what is shown has a known status', () => {
    whatever(({ open }) => {
      assert.equal(new Set(open.map(({ type }) => type)).size, open.length);
      for (const { status } of open) assert.ok(status === 'pending' || ALERT_STATUSES.includes(status));
    });
  });

  it('looking again at the same time changes nothing', () => {
    whatever((alerts, facts, nowMs) => assert.equal(alerts.evaluate(facts, nowMs), 0));
  });

  it('nothing changes before the next check is due', () => {
    whatever((alerts, facts, nowMs, { pauseMs }) => {
      const dueAtMs =
        nextEvaluationAtMs(siloRules, facts, alerts.open, alerts.delays, nowMs) ?? nowMs + DAY_MS;
      for (const laterMs of [nowMs + 1, Math.min(nowMs + pauseMs, dueAtMs - 1), dueAtMs - 1]) {
        if (laterMs >= dueAtMs) continue;
        const settings = { delays: alerts.delays, newAlertId: () => 'al_x' };
        assert.deepEqual(evaluateAlerts(siloRules, facts, alerts.open, settings, laterMs), []);
      }
    });
  });

  it('a reading in the no-change range changes nothing', () => {
    whatever((alerts, facts, nowMs, next) => {
      const reading = readingOf(next);
      if (!isWithinNoChangeRanges(rangesOf(alerts.open), newest(reading))) return;
      const settings = { delays: alerts.delays, newAlertId: () => 'al_x' };
      assert.deepEqual(
        evaluateAlerts(siloRules, heard(facts, reading, nowMs), alerts.open, settings, nowMs),
        [],
      );
    });
  });
});

describe('the no-change range of the weight', () => {
  const withAlerts = (...alerts: readonly Partial<AlertState>[]) => {
    const base = new Alerts();
    base.evaluate(factsAt(15, START_MS), START_MS);
    const [low] = base.open;
    assert.ok(low !== undefined);
    return rangesOf(alerts.map((change) => ({ ...low, ...change })));
  };

  it('spans everything between the thresholds when all is well', () => {
    assert.deepEqual(withAlerts()?.weight, { min: 200_001, max: 899_999 });
  });

  it('spans what keeps a level alert as it is', () => {
    assert.deepEqual(withAlerts({ currentValue: 20 })?.weight, { min: 190_001, max: 209_999 });
    assert.deepEqual(withAlerts({ currentValue: 20.5 })?.weight, { min: 195_001, max: 210_000 });
    assert.deepEqual(withAlerts({ status: 'cleared' })?.weight, { min: 200_001, max: 899_999 });
    assert.deepEqual(withAlerts({ absentSinceMs: START_MS })?.weight, { min: 210_001, max: 899_999 });
    assert.deepEqual(withAlerts({ status: 'pending' })?.weight, { min: 100_001, max: 200_000 });
  });

  it('is nothing while readings themselves are in doubt', () => {
    assert.equal(withAlerts({ type: 'sensor_stale' }), null);
    assert.equal(withAlerts({ type: 'sensor_fault' }), null);
    assert.equal(withAlerts({ type: 'device_offline' }), null);
    assert.notEqual(withAlerts({ type: 'device_offline', status: 'cleared' }), null);
  });

  it('holds no reading that cannot be true', () => {
    const ranges = withAlerts();
    assert.equal(isWithinNoChangeRanges(ranges, newest({ weight: 500_000, humidity: 40_000 })), true);
    assert.equal(isWithinNoChangeRanges(ranges, newest({ weight: 500_000, humidity: 140_000 })), false);
    const wide = { weight: { min: 0, max: 9e6 }, others: [] };
    assert.equal(isWithinNoChangeRanges(wide, newest({ weight: 5_000_000 })), false);
  });
});

describe('the next check', () => {
  it('is when the first thing grows old, falls due or ends', () => {
    const facts = factsAt(50, START_MS);
    assert.equal(nextEvaluationAtMs(siloRules, facts, [], DEFAULT_DELAYS, START_MS), START_MS + 30_001);
    const alerts = new Alerts();
    alerts.evaluate(factsAt(15, START_MS), START_MS);
    alerts.evaluate(facts, START_MS);
    assert.equal(
      nextEvaluationAtMs(siloRules, facts, alerts.open, DEFAULT_DELAYS, START_MS),
      START_MS + 5_000,
    );
    const muchLaterMs = START_MS + HOUR_MS;
    assert.equal(
      nextEvaluationAtMs(siloRules, facts, [], DEFAULT_DELAYS, muchLaterMs),
      Date.parse(configuration.maintenance.next_scheduled),
    );
    const overdueMs = START_MS + 1_000 * DAY_MS;
    assert.equal(nextEvaluationAtMs(siloRules, facts, [], DEFAULT_DELAYS, overdueMs), null);
  });

  it('is when a stop should have been confirmed', () => {
    const running = { operation_id: 'op_1', state: 'running', amount_kg: 1, ts: START_MS } as const;
    const operation = unsolicitedOperation(1, running, START_MS);
    assert.ok(operation !== null);
    const stopping = { ...operation, status: 'stopping', stopRequestedAtMs: START_MS } as const;
    const facts = { ...factsAt(50, START_MS), operations: [stopping] };
    const dueAtMs = START_MS + STOP_CONFIRMATION_MS_MAX;
    assert.equal(nextEvaluationAtMs(siloRules, facts, [], DEFAULT_DELAYS, START_MS), dueAtMs);
    assert.notEqual(nextEvaluationAtMs(siloRules, facts, [], DEFAULT_DELAYS, dueAtMs), dueAtMs);
  });
});
