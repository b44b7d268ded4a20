import type { AlertType } from '@granary/contract/alerts';
import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { CHANNELS, CHANNELS_OF, type ChannelName } from '@granary/contract/telemetry/channels';
import { checkedTimeMs } from '@granary/contract/time';
import { freshnessMs } from '../devices/status.ts';
import { isPlausible, type StoredValues } from '../telemetry/readings.ts';
import { toGrams } from '../units.ts';
import {
  atLeast,
  atMost,
  contains,
  type LevelRule,
  levelRules,
  valueStepPercent,
  type WeightRange,
} from './level-rules.ts';
import { type AlertDelays, type AlertState, advanceAlert, type Condition, onDelayMs } from './lifecycle.ts';
import { type Observed, offlineAlarmAtMs, offlineFromMs } from './observation.ts';
import { type SensorFacts, staleFromMs } from './sensor-rules.ts';
import { conditionsOf, type SiloFacts, stopOverdueAtMs } from './silo-rules.ts';

export interface AlertChange {
  readonly before: AlertState | null;
  /** `null`: the condition went before it had lasted long enough to be told of. */
  readonly after: AlertState | null;
}

export interface EvaluationSettings {
  readonly delays: AlertDelays;
  readonly newAlertId: () => string;
}

/** What has to change in a silo's alerts so that they say how it stands now. Doing it twice changes nothing more. */
export const evaluateAlerts = (
  facts: SiloFacts & Observed,
  open: readonly AlertState[],
  settings: EvaluationSettings,
  nowMs: number,
): AlertChange[] => alertChanges(facts.deviceNo, conditionsOf(facts, nowMs), open, settings, nowMs);

/** What has to change in a device's alerts so that they agree with how each thing stands. */
export function alertChanges(
  deviceNo: number,
  conditions: readonly Condition[],
  open: readonly AlertState[],
  { delays, newAlertId }: EvaluationSettings,
  nowMs: number,
): AlertChange[] {
  const subject = { deviceNo, newAlertId };
  return conditions
    .map((condition) => {
      const before = open.find(({ type }) => type === condition.type) ?? null;
      return { before, after: advanceAlert(before, condition, subject, delays, nowMs) };
    })
    .filter(({ before, after }) => before !== after);
}

/** When, at the earliest, time alone could change the alerts as they were evaluated at `nowMs`; `null` for never. */
export function nextCheckAtMs(
  facts: SiloFacts & Observed,
  open: readonly AlertState[],
  delays: AlertDelays,
  nowMs: number,
): number | null {
  const timesMs = [
    checkedTimeMs(facts.configuration.maintenance.next_scheduled),
    ...silenceTimesMs(facts, CHANNELS_OF.silo),
    ...growthTimesMs(conditionsOf(facts, nowMs), open),
    ...facts.operations.flatMap((operation) => stopOverdueAtMs(operation, facts.observedSinceMs) ?? []),
  ];
  return earliestCheckAtMs(timesMs, open, delays, nowMs);
}

/** The first of these times, and of those that the open alerts wait for, that is yet to come. */
export function earliestCheckAtMs(
  timesMs: readonly number[],
  open: readonly AlertState[],
  delays: AlertDelays,
  nowMs: number,
): number | null {
  const dueMs = open.flatMap((alert) => dueTimesMs(alert, delays));
  const comingMs = [...timesMs, ...dueMs].filter((timeMs) => timeMs > nowMs);
  return comingMs.length === 0 ? null : Math.min(...comingMs);
}

/** When the silence of a device, or of its sensors, changes what is known or becomes an alarm. */
export function silenceTimesMs(
  { presence, latest, ...observed }: SensorFacts & Observed,
  channels: readonly ChannelName[],
): number[] {
  const newest = channels.flatMap((channel) => latest[channel] ?? []);
  const ofSensors = newest.flatMap((value) => [
    value.tsMs + freshnessMs(presence) + 1,
    staleFromMs(value, presence, observed),
  ]);
  const { observedSinceMs } = observed;
  const ofDevice = [offlineFromMs(presence, observedSinceMs), offlineAlarmAtMs(presence, observedSinceMs)];
  return [...ofSensors, ...ofDevice.filter((timeMs) => timeMs !== null)];
}

/** When a value that grows by time alone has grown enough to be shown anew. */
export const growthTimesMs = (conditions: readonly Condition[], open: readonly AlertState[]): number[] =>
  conditions.flatMap((condition) => {
    if (condition.state !== 'present' || condition.age === undefined) return [];
    const { sinceMs, unitMs } = condition.age;
    const alert = open.find(({ type }) => type === condition.type);
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

/**
 * The weights that cannot change any alert about the level, so that a reading within them needs no evaluation; `null` when
 * every reading needs one, because it may end an alert about silence or nonsense. Valid until alerts or thresholds change.
 */
export function noChangeBand(
  configuration: SiloConfiguration,
  open: readonly AlertState[],
  capacityKg: number,
): WeightRange | null {
  const isHere = ({ status }: AlertState) => status !== 'cleared' && status !== 'resolved';
  if (open.some((alert) => AWAITING_READING.has(alert.type) && isHere(alert))) return null;
  const capacityG = toGrams(capacityKg, 'kg');
  const stepG = (valueStepPercent(configuration.alarms) * capacityG) / 100;
  const ranges = levelRules(configuration, capacityG).flatMap((rule) => {
    const alert = open.find(({ type }) => type === rule.type);
    if (alert === undefined || !isHere(alert)) return [allBut(rule.present)];
    return [quietRange(rule, alert), ...shownRange(alert, capacityG, stepG)];
  });
  return {
    minG: Math.max(...ranges.map(({ minG }) => minG)),
    maxG: Math.min(...ranges.map(({ maxG }) => maxG)),
  };
}

const AWAITING_READING: ReadonlySet<AlertType> = new Set<AlertType>([
  'sensor_stale',
  'sensor_fault',
  'device_offline',
]);

/** The weights that are so close to the level an open alert shows that it need not show a new one. */
function shownRange(
  { status, absentSinceMs, currentValue }: AlertState,
  capacityG: number,
  stepG: number,
): WeightRange[] {
  if (status === 'pending' || absentSinceMs !== null || currentValue === null) return [];
  const shownG = (currentValue * capacityG) / 100;
  // A gram less on either side, so that rounding cannot make a reading quiet that is to be shown.
  return [{ minG: Math.ceil(shownG - stepG) + 1, maxG: Math.floor(shownG + stepG) - 1 }];
}

/** A delay that runs is ended by whatever leaves the range in which it began. */
function quietRange(rule: LevelRule, { status, absentSinceMs }: AlertState): WeightRange {
  if (status === 'pending') return rule.present;
  return absentSinceMs === null ? allBut(rule.absent) : rule.absent;
}

/** What a range that is open to one side leaves. */
const allBut = ({ minG, maxG }: WeightRange): WeightRange =>
  minG === Number.NEGATIVE_INFINITY ? atLeast(maxG + 1) : atMost(minG - 1);

/** A reading that lies in the band and holds nothing that cannot be true. */
export function isWithinNoChangeBand(
  band: WeightRange | null,
  values: StoredValues,
  capacityKg: number,
): boolean {
  if (band === null) return false;
  return CHANNELS_OF.silo.every((channel) => {
    const value = values[channel];
    if (value === undefined) return true;
    if (channel === 'weight' && !contains(band, value)) return false;
    return isPlausible(channel, value / CHANNELS[channel].scale, capacityKg);
  });
}
