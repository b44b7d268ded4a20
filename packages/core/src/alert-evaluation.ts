import { CHANNELS, CHANNELS_OF, type ChannelName } from '@granary/contract/channels';
import type { SiloConfiguration } from '@granary/contract/configuration';
import { checkedTimeMs } from '@granary/contract/time';
import { conditionsOf, type SiloFacts } from './alert-rules.ts';
import { type AlertDelays, type AlertState, advanceAlert, type Condition } from './alerts.ts';
import { deviceStatus, freshnessMs, type Presence } from './devices.ts';
import { atLeast, atMost, contains, type LevelRule, levelRules, type WeightRange } from './level-rules.ts';
import { isPlausible, type LatestValues, type StoredValues } from './telemetry.ts';
import { toGrams } from './units.ts';

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
  facts: SiloFacts,
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
  facts: SiloFacts,
  open: readonly AlertState[],
  delays: AlertDelays,
  nowMs: number,
): number | null {
  const maintenanceMs = checkedTimeMs(facts.configuration.maintenance.next_scheduled);
  const freshnessMs = freshnessEndsMs(facts, CHANNELS_OF.silo, nowMs);
  return earliestCheckAtMs([maintenanceMs, ...freshnessMs], open, delays, nowMs);
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

/** When what was heard of a device, and what it measured, stops being fresh. */
export function freshnessEndsMs(
  { presence, latest }: { readonly presence: Presence; readonly latest: LatestValues },
  channels: readonly ChannelName[],
  nowMs: number,
): number[] {
  const heardAtMs = channels.flatMap((channel) => latest[channel]?.tsMs ?? []);
  if (presence.lastSeenAtMs !== null && deviceStatus(presence, nowMs) !== 'offline') {
    heardAtMs.push(presence.lastSeenAtMs);
  }
  return heardAtMs.map((timeMs) => timeMs + freshnessMs(presence) + 1);
}

function dueTimesMs(
  { status, createdAtMs, absentSinceMs, shelvedUntilMs }: AlertState,
  delays: AlertDelays,
): number[] {
  const timesMs: number[] = [];
  if (status === 'pending') timesMs.push(createdAtMs + delays.onMs);
  if (absentSinceMs !== null) timesMs.push(absentSinceMs + delays.offMs);
  if (shelvedUntilMs !== null) timesMs.push(shelvedUntilMs);
  return timesMs;
}

/**
 * The weights that cannot change any alert about the level, so that a reading within them needs no evaluation; `null` when
 * every reading needs one, because it may end an alert about silence or nonsense. Valid until alerts or thresholds change.
 */
export function quietBand(
  { thresholds }: SiloConfiguration,
  open: readonly AlertState[],
  capacityKg: number,
): WeightRange | null {
  const isHere = ({ status }: AlertState) => status !== 'cleared' && status !== 'resolved';
  const awaitsReading = ({ type }: AlertState) => type === 'sensor_stale' || type === 'device_offline';
  if (open.some((alert) => awaitsReading(alert) && isHere(alert))) return null;
  const ranges = levelRules(thresholds, toGrams(capacityKg, 'kg')).map((rule) => {
    const alert = open.find(({ type }) => type === rule.type);
    return alert !== undefined && isHere(alert) ? quietRange(rule, alert) : allBut(rule.present);
  });
  return {
    minG: Math.max(...ranges.map(({ minG }) => minG)),
    maxG: Math.min(...ranges.map(({ maxG }) => maxG)),
  };
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
export function isQuiet(band: WeightRange | null, values: StoredValues, capacityKg: number): boolean {
  if (band === null) return false;
  return CHANNELS_OF.silo.every((channel) => {
    const value = values[channel];
    if (value === undefined) return true;
    if (channel === 'weight' && !contains(band, value)) return false;
    return isPlausible(channel, value / CHANNELS[channel].scale, capacityKg);
  });
}
