import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { Point } from '@granary/contract/positions';
import { sentence } from '@granary/contract/sentences/codes';
import { isUnconfirmedStop, STOP_CONFIRMATION_MS_MAX } from '../../commands/emergency-stop.ts';
import type { CommandState } from '../../commands/state.ts';
import { freshnessMs, type Presence } from '../../devices/status.ts';
import { isInside } from '../../geometry.ts';
import { endedBadly, unconfirmedHalt } from '../../missions/sentences.ts';
import { type MissionState, missionHoldsDevice } from '../../missions/state.ts';
import { haltOverdueAtMs, startAnswerDueMs } from '../../missions/steps.ts';
import type { LatestValues, Sensor } from '../../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { isBelievable } from '../../telemetry/plausibility.ts';
import { roundTo6 } from '../../units.ts';
import type { AlertRules } from '../evaluation.ts';
import type { Condition } from '../lifecycle.ts';
import { type Observed, valuesJudgedAtMs } from '../observation.ts';
import { deviceOffline, maintenanceDue } from './device-rules.ts';
import { valueStepPercent } from './level-rules.ts';
import { sensorFault } from './sensor-rules.ts';

/** The facts for the alerts of a field device. */
export interface FieldFacts {
  readonly deviceNo: number;
  readonly presence: Presence;
  readonly latest: LatestValues;
  readonly sensors: readonly Sensor[];
  readonly configuration: FieldConfiguration;
  /** The mission that ended last, and those that occupy the device. */
  readonly missions: readonly MissionState[];
  /** The unfinished commands only. */
  readonly commands: readonly CommandState[];
}

const JUDGED_CHANNELS = ['latitude', 'longitude', 'battery_level'] as const;

/** The present conditions of a field device, exactly one for each type of alert it can have. */
export function fieldConditionsOf(facts: FieldFacts & Observed, nowMs: number): Condition[] {
  const judgedAtMs = valuesJudgedAtMs(facts, nowMs);
  return [
    lowBattery(facts, judgedAtMs),
    geofenceBreach(facts, judgedAtMs),
    missionFailed(facts, nowMs),
    emergencyStopUnconfirmed(facts, nowMs),
    sensorFault(facts, nowMs),
    deviceOffline(facts, underWay(facts), nowMs),
    maintenanceDue(facts.configuration.maintenance, nowMs),
  ];
}

export const fieldRules: AlertRules<FieldFacts> = {
  conditionsOf: fieldConditionsOf,
  timesMs: ({ commands, missions, observedSinceMs }) => [
    ...commands.filter(isUnconfirmedStop).map(confirmationDueMs),
    ...missions.flatMap((mission) => startAnswerDueMs(mission) ?? []),
    ...missions.flatMap((mission) => haltOverdueAtMs(mission, observedSinceMs) ?? []),
  ],
};

/** An old or implausible value says nothing about the present. */
function usable(
  { latest, presence }: FieldFacts,
  channel: (typeof JUDGED_CHANNELS)[number],
  judgedAtMs: number,
): number | null {
  const newest = latest[channel];
  if (newest === undefined || judgedAtMs - newest.tsMs > freshnessMs(presence)) return null;
  const sensor = STANDARD_SENSORS[channel];
  return isBelievable(sensor, newest) ? newest.value / sensor.scale : null;
}

function lowBattery(facts: FieldFacts, judgedAtMs: number): Condition {
  const type = 'low_battery';
  const { thresholds, alarms } = facts.configuration;
  const { low_battery, critical_battery } = thresholds;
  const level = usable(facts, 'battery_level', judgedAtMs);
  if (level === null) return { type, state: 'indeterminate' };
  if (level > low_battery) {
    return { type, state: level > low_battery + alarms.dead_band ? 'absent' : 'indeterminate' };
  }
  const isCritical = level <= critical_battery;
  const threshold = isCritical ? critical_battery : low_battery;
  return {
    type,
    state: 'present',
    severity: isCritical ? 'critical' : 'warning',
    currentValue: roundTo6(level),
    threshold,
    cause: null,
    message: sentence('battery_below', { level: roundTo6(level), limit: threshold }),
    valueStep: valueStepPercent(alarms),
  };
}

function placeOf(facts: FieldFacts, judgedAtMs: number): Point | null {
  const [lat, lng] = [usable(facts, 'latitude', judgedAtMs), usable(facts, 'longitude', judgedAtMs)];
  return lat === null || lng === null ? null : { lat, lng };
}

function geofenceBreach(facts: FieldFacts, judgedAtMs: number): Condition {
  const type = 'geofence_breach';
  const { geofence, failsafe } = facts.configuration;
  if (geofence === null) return { type, state: 'absent' };
  const place = placeOf(facts, judgedAtMs);
  if (place === null) return { type, state: 'indeterminate' };
  if (isInside(geofence, place)) return { type, state: 'absent' };
  return {
    type,
    state: 'present',
    severity: 'critical',
    currentValue: null,
    threshold: null,
    cause: null,
    message: sentence('outside_fence', {
      place: { latitude: place.lat, longitude: place.lng },
      action: failsafe.geofence_breach_action,
    }),
  };
}

/** The condition is about the mission that ended last, until another one begins, or about a mission whose start is not confirmed. */
function missionFailed({ missions, observedSinceMs }: FieldFacts & Observed, nowMs: number): Condition {
  const type = 'mission_failed';
  const unhalted = missions.find(
    (mission) => (haltOverdueAtMs(mission, observedSinceMs) ?? nowMs + 1) <= nowMs,
  );
  if (unhalted !== undefined) {
    return {
      type,
      state: 'present',
      severity: 'critical',
      currentValue: null,
      threshold: null,
      cause: unhalted.missionId,
      message: unconfirmedHalt(unhalted),
    };
  }
  const unanswered = missions.find((mission) => (startAnswerDueMs(mission) ?? nowMs + 1) <= nowMs);
  if (unanswered !== undefined) {
    return {
      type,
      state: 'present',
      severity: 'warning',
      currentValue: null,
      threshold: null,
      cause: unanswered.missionId,
      message: sentence('mission_start_unanswered', { mission: unanswered.name }),
    };
  }
  const newest = missions.reduce<MissionState | undefined>(
    (found, mission) => (found === undefined || begunAtMs(mission) > begunAtMs(found) ? mission : found),
    undefined,
  );
  if (newest === undefined || !TROUBLE.has(newest.status)) return { type, state: 'absent' };
  return {
    type,
    state: 'present',
    severity: newest.result?.reason === 'lost' ? 'critical' : 'warning',
    currentValue: null,
    threshold: null,
    cause: newest.missionId,
    message: endedBadly(newest),
  };
}

const confirmationDueMs = ({ createdAtMs }: CommandState): number => createdAtMs + STOP_CONFIRMATION_MS_MAX;

/** Raised for a device that does not confirm and for one that is offline, because nobody knows whether the device stands still. */
function emergencyStopUnconfirmed({ commands }: FieldFacts, nowMs: number): Condition {
  const type = 'emergency_stop_unconfirmed';
  const stop = commands.find((command) => isUnconfirmedStop(command) && confirmationDueMs(command) <= nowMs);
  if (stop === undefined) return { type, state: 'absent' };
  return {
    type,
    state: 'present',
    severity: 'critical',
    currentValue: null,
    threshold: null,
    cause: stop.commandId,
    message: sentence('stop_unconfirmed', { answer: stop.lastAnswer }),
  };
}

const TROUBLE: ReadonlySet<string> = new Set(['failed', 'aborted', 'missed']);

const begunAtMs = ({ plan, dispatchedAtMs }: MissionState): number => dispatchedAtMs ?? plan.startAtMs;

function underWay({ missions, commands }: FieldFacts): 'emergency_stop' | 'mission' | null {
  if (commands.some(isUnconfirmedStop)) return 'emergency_stop';
  return missions.some(missionHoldsDevice) ? 'mission' : null;
}
