import type { Maintenance } from '@granary/contract/configuration/shared-configuration';
import { checkedTimeMs } from '@granary/contract/time';
import { sensorFreshnessMs } from '../telemetry/current-readings.ts';
import {
  type AlertDelays,
  type AlertState,
  advanceAlert,
  type Condition,
  isAbout,
  onDelayMs,
  resolveWithRemoval,
} from './lifecycle.ts';
import { type Observed, offlineAlertAtMs, offlineFromMs, valuesJudgedAtMs } from './observation.ts';
import { type ReceptionFacts, receptionConditions, receptionTimesMs } from './rules/device-rules.ts';
import { reported, type SensorFacts, staleFromMs } from './rules/sensor-rules.ts';
import { type ThresholdFacts, thresholdConditions } from './rules/threshold-rules.ts';

/** The facts that decide about the alerts of every device; a profile adds its own. */
export interface AlertFacts extends ThresholdFacts, ReceptionFacts {
  readonly deviceNo: number;
  readonly configuration: { readonly maintenance: Maintenance } & ThresholdFacts['configuration'];
}

/** The alerts that devices of a profile can have. */
export interface AlertRules<Facts extends AlertFacts> {
  /** The present conditions of the device, exactly one for each type of alert it can have, without its threshold rules. */
  conditionsOf(facts: Facts & Observed, nowMs: number): Condition[];
  /** The times at which a condition of this profile can change without a message, without those of silence and maintenance. */
  timesMs(facts: Facts & Observed): readonly number[];
}

export interface AlertChange {
  readonly before: AlertState | null;
  /** `null` when the condition ended before its on-delay. */
  readonly after: AlertState | null;
}

export interface EvaluationSettings {
  readonly delays: AlertDelays;
  readonly newAlertId: () => string;
}

/** The changes of a device's alerts according to its present facts; a second evaluation changes nothing. */
export const evaluateAlerts = <Facts extends AlertFacts>(
  rules: AlertRules<Facts>,
  facts: Facts & Observed,
  open: readonly AlertState[],
  settings: EvaluationSettings,
  nowMs: number,
): AlertChange[] => {
  const conditions = allConditions(rules, facts, nowMs);
  const all = [...conditions, ...conditionsOfRemovedRules(conditions, open)];
  return alertChanges(facts.deviceNo, all, open, settings, nowMs);
};

/** A removed device has no conditions, so all its alerts are over; a pending one was never shown. */
export const alertsOfRemovedDevice = (open: readonly AlertState[], nowMs: number): AlertChange[] =>
  open.map((before) => ({ before, after: resolveWithRemoval(before, nowMs) }));

const allConditions = <Facts extends AlertFacts>(
  rules: AlertRules<Facts>,
  facts: Facts & Observed,
  nowMs: number,
): Condition[] => [
  ...rules.conditionsOf(facts, nowMs),
  ...receptionConditions(facts, nowMs),
  ...thresholdConditions(facts, valuesJudgedAtMs(facts, nowMs)),
];

/** An alert whose rule, or the sensor of its rule, no longer exists has an absent condition, so that it clears. */
const conditionsOfRemovedRules = (
  conditions: readonly Condition[],
  open: readonly AlertState[],
): Condition[] =>
  open.flatMap((alert): Condition[] => {
    const { type, rule } = alert;
    const isRemoved = rule !== null && !conditions.some((condition) => isAbout(alert, condition));
    return isRemoved ? [{ type, rule, state: 'absent', delays: NO_DELAYS }] : [];
  });

/** The delays for a rule that does not exist: its condition stays absent whatever values arrive, so there is nothing to wait for. */
const NO_DELAYS: AlertDelays = { onMs: 0, offMs: 0 };

/** The changes of a device's alerts according to its conditions. */
function alertChanges(
  deviceNo: number,
  conditions: readonly Condition[],
  open: readonly AlertState[],
  { delays, newAlertId }: EvaluationSettings,
  nowMs: number,
): AlertChange[] {
  const subject = { deviceNo, newAlertId };
  return conditions
    .map((condition) => {
      const before = open.find((alert) => isAbout(alert, condition)) ?? null;
      return { before, after: advanceAlert(before, condition, subject, condition.delays ?? delays, nowMs) };
    })
    .filter(({ before, after }) => before !== after);
}

/**
 * The earliest time at which the alerts can change without a message; `null` means never. After a late evaluation this time
 * may have passed already.
 */
export function nextEvaluationAtMs<Facts extends AlertFacts>(
  rules: AlertRules<Facts>,
  facts: Facts & Observed,
  open: readonly AlertState[],
  delays: AlertDelays,
  nowMs: number,
): number | null {
  const conditions = allConditions(rules, facts, nowMs);
  const timesMs = [
    checkedTimeMs(facts.configuration.maintenance.next_scheduled),
    ...silenceTimesMs(facts),
    ...growthTimesMs(conditions, open),
    ...rules.timesMs(facts),
    ...receptionTimesMs(facts),
    ...open.flatMap((alert) => dueTimesMs(alert, delaysFor(alert, conditions, delays))),
  ].filter((timeMs) => timeMs > valuesJudgedAtMs(facts, nowMs));
  return timesMs.length === 0 ? null : Math.min(...timesMs);
}

const delaysFor = (alert: AlertState, conditions: readonly Condition[], delays: AlertDelays): AlertDelays =>
  conditions.find((condition) => isAbout(alert, condition))?.delays ?? delays;

/** The times at which the silence of a device or of its sensors, or the end of maintenance, changes a status or raises an alert. */
function silenceTimesMs({ presence, latest, sensors, ...observed }: SensorFacts & Observed): number[] {
  const ofSensors = reported(latest, sensors).flatMap(({ sensor, newest }) => [
    newest.tsMs + sensorFreshnessMs(sensor, presence) + 1,
    staleFromMs(sensor, newest, presence, observed),
  ]);
  const { observedSinceMs } = observed;
  const ofDevice = [
    offlineFromMs(presence, observedSinceMs),
    offlineAlertAtMs(presence, observedSinceMs),
    presence.maintenance?.untilMs ?? null,
  ];
  return [...ofSensors, ...ofDevice.filter((timeMs) => timeMs !== null)];
}

/** The times at which a value that grows with time has grown enough to be updated. */
const growthTimesMs = (conditions: readonly Condition[], open: readonly AlertState[]): number[] =>
  conditions.flatMap((condition) => {
    if (condition.state !== 'present' || condition.age === undefined) return [];
    const { sinceMs, unitMs } = condition.age;
    const alert = open.find((one) => isAbout(one, condition));
    const shown = alert?.currentValue ?? null;
    return shown === null ? [] : [sinceMs + (shown + (condition.valueStep ?? 0)) * unitMs];
  });

function dueTimesMs(
  { type, status, createdAtMs, absentSinceMs, shelvedUntilMs }: AlertState,
  delays: AlertDelays,
): number[] {
  const timesMs: number[] = [];
  if (status === 'pending') timesMs.push(createdAtMs + onDelayMs(type, delays));
  if (absentSinceMs !== null) timesMs.push(absentSinceMs + delays.offMs);
  if (shelvedUntilMs !== null) timesMs.push(shelvedUntilMs);
  return timesMs;
}
