import { sentence } from '@granary/contract/sentences/codes';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { silenceCountsFromMs } from '../../devices/maintenance.ts';
import { deviceStatus, freshnessMs, type Presence } from '../../devices/status.ts';
import { explainsOldValuesUntilMs, type Reception, wrongClockMs } from '../../reception/reception.ts';
import { type LatestValue, type LatestValues, latestOf, type Sensor } from '../../sensors/sensor.ts';
import { sensorFreshnessMs } from '../../telemetry/current-readings.ts';
import { isBelievable, isPlausible, plausibleRange } from '../../telemetry/plausibility.ts';
import type { Condition } from '../lifecycle.ts';
import { type Observed, type SilenceTimes, valuesJudgedAtMs } from '../observation.ts';

export interface SensorFacts {
  readonly presence: Presence;
  /** The irregularities of the messages of the device; not given if there are none. */
  readonly reception?: Reception | null;
  readonly latest: LatestValues;
  /** The sensors whose silence and whose values are judged. */
  readonly sensors: readonly Sensor[];
  readonly capacityKg?: number;
}

/** The minimum time between two updates of how long a sensor has been silent. */
const AGE_STEP_S = 60;

export const isFresh = (sensor: Sensor, { tsMs }: LatestValue, presence: Presence, nowMs: number): boolean =>
  nowMs - tsMs <= sensorFreshnessMs(sensor, presence);

interface SensorValue {
  readonly sensor: Sensor;
  readonly newest: LatestValue;
}

/** Sensors that never reported are left out. */
export const reported = (latest: LatestValues, sensors: readonly Sensor[]): SensorValue[] =>
  sensors.flatMap((sensor) => {
    const newest = latestOf(latest, sensor);
    return newest === undefined ? [] : [{ sensor, newest }];
  });

const causeOf = (values: readonly SensorValue[]): string =>
  values.map(({ sensor }) => sensor.sensorId).join(',');

/** An alert about all sensors of a device names this many of them. */
const NAMED_MAX = 12;

const listed = (sensors: readonly Sentence[]) => ({
  sensors: sensors.slice(0, NAMED_MAX),
  more: sensors.length > NAMED_MAX ? sensors.length - NAMED_MAX : null,
});

/** The time from which a sensor counts as silent; times when the service was down, or the device offline or in maintenance, do not count. */
export const staleFromMs = (
  sensor: Sensor,
  { tsMs }: LatestValue,
  presence: Presence,
  { observedSinceMs, onlineSinceMs }: SilenceTimes,
): number =>
  Math.max(tsMs, observedSinceMs, onlineSinceMs, silenceCountsFromMs(presence.maintenance)) +
  sensorFreshnessMs(sensor, presence) +
  1;

/**
 * An offline device has no fresh values, in maintenance sensors may be off, with a wrong clock new values look old, and refused
 * ones are missing; none of these means that a sensor is broken.
 */
export function sensorStale(
  { presence, reception = null, latest, sensors, ...observed }: SensorFacts & Observed,
  nowMs: number,
): Condition {
  const type = 'sensor_stale';
  if (deviceStatus(presence, nowMs) !== 'online') return { type, state: 'indeterminate' };
  if (wrongClockMs(reception) !== null) return { type, state: 'absent' };
  const explainedUntilMs = explainsOldValuesUntilMs(reception, freshnessMs(presence));
  if (explainedUntilMs !== null && nowMs <= explainedUntilMs) return { type, state: 'indeterminate' };
  const old = reported(latest, sensors).filter(
    ({ sensor, newest }) => !isFresh(sensor, newest, presence, nowMs),
  );
  const [oldest, ...others] = old
    .filter(({ sensor, newest }) => nowMs >= staleFromMs(sensor, newest, presence, observed))
    .toSorted((a, b) => a.newest.tsMs - b.newest.tsMs);
  if (oldest === undefined) return { type, state: old.length === 0 ? 'absent' : 'indeterminate' };
  const silent = [oldest, ...others];
  const told = silent.map(({ sensor, newest }) =>
    sentence('sensor_silent', { sensor: sensor.sensorId, since: toIso(newest.tsMs) }),
  );
  const age = { sinceMs: oldest.newest.tsMs, unitMs: SECOND_MS };
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: Math.floor((nowMs - age.sinceMs) / age.unitMs),
    threshold: sensorFreshnessMs(oldest.sensor, presence) / SECOND_MS,
    cause: causeOf(silent),
    message: sentence('sensors_silent', listed(told)),
    valueStep: AGE_STEP_S,
    age,
  };
}

/** The latest value is implausible or said to be invalid by the device; an old one says nothing about the present. */
export function sensorFault(facts: SensorFacts & Observed, nowMs: number): Condition {
  const { presence, latest, sensors, capacityKg } = facts;
  const judgedAtMs = valuesJudgedAtMs(facts, nowMs);
  const type = 'sensor_fault';
  if (deviceStatus(presence, judgedAtMs) !== 'online') return { type, state: 'indeterminate' };
  const wrong = reported(latest, sensors).filter(
    ({ sensor, newest }) => !isBelievable(sensor, newest, capacityKg),
  );
  const current = wrong.filter(({ sensor, newest }) => isFresh(sensor, newest, presence, judgedAtMs));
  const [first] = current;
  if (first === undefined) return { type, state: wrong.length === 0 ? 'absent' : 'indeterminate' };
  const { value, bound } = describeFault(first, capacityKg);
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: value,
    threshold: bound,
    cause: causeOf(current),
    message: sentence(
      'sensors_implausible',
      listed(current.map((one) => describeFault(one, capacityKg).told)),
    ),
  };
}

function describeFault({ sensor, newest }: SensorValue, capacityKg?: number) {
  const { sensorId, unit, scale } = sensor;
  const value = newest.value / scale;
  if (isPlausible(sensor, value, capacityKg)) {
    const told = sentence('sensor_invalid', { sensor: sensorId, value: { value, unit } });
    return { value, bound: null, told };
  }
  const { min, max } = plausibleRange(sensor, capacityKg);
  const told = sentence('sensor_implausible', {
    sensor: sensorId,
    value: { value, unit },
    min: { value: min, unit },
    max: { value: max, unit },
  });
  return { value, bound: value < min ? min : max, told };
}
