import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { siloScale } from '@granary/contract/profiles/silo-scale';
import { SECOND_MS } from '@granary/contract/time';
import type { Presence } from '../devices/status.ts';
import { IMBALANCE_PERCENT_MAX, massBalance } from '../operations/mass-balance.ts';
import { finallyMeasuredG, holdsDevice, type OperationState } from '../operations/state.ts';
import { shownFailure } from '../operations/status-detail.ts';
import { type LatestValues, roundTo6 } from '../telemetry/readings.ts';
import { toGrams } from '../units.ts';
import { deviceOffline, maintenanceDue } from './device-rules.ts';
import type { AlarmRules } from './evaluation.ts';
import { levelRules, stateAt, valueStepPercent } from './level-rules.ts';
import type { Condition } from './lifecycle.ts';
import type { Observed } from './observation.ts';
import { isBelievable, isFresh, sensorFault, sensorStale } from './sensor-rules.ts';

/** A gate has closed, and a device that never had the start has said so, well within this time. */
export const STOP_CONFIRMATION_MS_MAX = 15 * SECOND_MS;

/** Everything that the alerts of a silo follow from. */
export interface SiloFacts {
  readonly deviceNo: number;
  readonly presence: Presence;
  readonly capacityKg: number;
  readonly latest: LatestValues;
  readonly configuration: SiloConfiguration;
  /** The newest one, and every other that holds the device. */
  readonly operations: readonly OperationState[];
}

/** How each thing that can be wrong with a silo stands now. Every type of alert that a silo can have is named once. */
export function conditionsOf(facts: SiloFacts & Observed, nowMs: number): Condition[] {
  return [
    ...levelConditions(facts, nowMs),
    sensorStale(facts, siloScale.channels, nowMs),
    sensorFault(facts, siloScale.channels, nowMs),
    deviceOffline(facts, facts.operations.some(holdsDevice) ? 'an operation' : null, nowMs),
    operationFailed(facts, nowMs),
    massImbalance(facts),
    maintenanceDue(facts.configuration.maintenance, nowMs),
  ];
}

export const siloRules: AlarmRules<SiloFacts> = {
  channels: siloScale.channels,
  conditionsOf,
  timesMs: ({ operations, observedSinceMs }) =>
    operations.flatMap((operation) => stopOverdueAtMs(operation, observedSinceMs) ?? []),
};

/** A weight that is old or cannot be true says nothing about the level. */
function levelConditions(
  { presence, latest, capacityKg, configuration }: SiloFacts,
  nowMs: number,
): Condition[] {
  const capacityG = toGrams(capacityKg, 'kg');
  const { weight } = latest;
  const valueStep = valueStepPercent(configuration.alarms);
  const isUsable =
    weight !== undefined && isFresh(weight, presence, nowMs) && isBelievable('weight', weight, capacityKg);
  return levelRules(configuration, capacityG).map((rule): Condition => {
    const { type, severity, thresholdPercent: threshold, side } = rule;
    if (!isUsable) return { type, state: 'unsure' };
    const state = stateAt(rule, weight.value);
    if (state !== 'present') return { type, state };
    const currentValue = roundTo6((weight.value / capacityG) * 100);
    const message = `level ${currentValue.toFixed(1)} % is ${side === 'bottom' ? 'at or below' : 'at or above'} ${threshold} %`;
    return { type, state, severity, currentValue, threshold, cause: null, message, valueStep };
  });
}

const newestOf = (operations: readonly OperationState[]): OperationState | undefined =>
  operations.reduce<OperationState | undefined>(
    (newest, operation) =>
      newest === undefined || operation.startedAtMs > newest.startedAtMs ? operation : newest,
    undefined,
  );

/** When a stop that the device does not confirm becomes an alarm; `null` for an operation that is not being stopped. */
export function stopOverdueAtMs(
  { status, stopRequestedAtMs, startedAtMs, reopenedAtMs }: OperationState,
  observedSinceMs: number,
): number | null {
  if (status !== 'stopping') return null;
  const sinceMs = Math.max(stopRequestedAtMs ?? startedAtMs, reopenedAtMs ?? 0, observedSinceMs);
  return sinceMs + STOP_CONFIRMATION_MS_MAX;
}

/** Critical as long as something may be moving that should not. One that was started at the device has not failed. */
function operationFailed({ operations, observedSinceMs }: SiloFacts & Observed, nowMs: number): Condition {
  const type = 'operation_failed';
  const newest = newestOf(operations);
  const failing = operations.filter(
    (operation) => hasFailed(operation) && (operation === newest || holdsDevice(operation)),
  );
  const isOverdue = (operation: OperationState) =>
    (stopOverdueAtMs(operation, observedSinceMs) ?? nowMs + 1) <= nowMs;
  const worst =
    failing.find(holdsDevice) ?? operations.find(isOverdue) ?? failing[0] ?? operations.find(isUnasked);
  if (worst === undefined) return { type, state: 'absent' };
  const present = {
    type,
    state: 'present',
    currentValue: null,
    threshold: null,
    cause: worst.operationId,
  } as const;
  const name = `operation ${worst.operationId}`;
  const failure = shownFailure(worst);
  if (failure !== null) {
    return { ...present, severity: severityOfFailed(worst), message: `${name} failed: ${failure.message}` };
  }
  if (isOverdue(worst)) {
    const message = `${name}: the device has not confirmed the stop, so it may still be moving; the stop is repeated until it does`;
    return { ...present, severity: 'critical', message };
  }
  const message = `${name} was started at the device, not through this service`;
  return { ...present, severity: severityOfUnasked(operations), message };
}

/** Whoever asked for a start that was not sent was told so at once, and nothing moved. */
const hasFailed = ({ failure }: OperationState): boolean => failure !== null && failure.reason !== 'not_sent';

const severityOfFailed = (operation: OperationState): 'warning' | 'critical' =>
  holdsDevice(operation) ? 'critical' : 'warning';

/** Beside another operation it makes that one's weighing meaningless. */
const severityOfUnasked = (operations: readonly OperationState[]): 'info' | 'warning' =>
  operations.filter(holdsDevice).length > 1 ? 'warning' : 'info';

const isUnasked = (operation: OperationState): boolean => operation.plan === null && holdsDevice(operation);

/** Judged once the newest operation is over and weighed; until then what was said of the one before stands. */
function massImbalance({ operations, capacityKg }: SiloFacts): Condition {
  const type = 'mass_imbalance';
  const newest = newestOf(operations);
  if (newest === undefined) return { type, state: 'absent' };
  const measuredG = finallyMeasuredG(newest);
  if (measuredG === null) return { type, state: 'unsure' };
  const balance = massBalance(newest.amountCompletedG, measuredG, toGrams(capacityKg, 'kg'));
  if (!balance.isImbalanced) return { type, state: 'absent' };
  const currentValue = Math.round(balance.differencePercent * 10) / 10;
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue,
    threshold: IMBALANCE_PERCENT_MAX,
    cause: newest.operationId,
    message: `operation ${newest.operationId}: reported and weighed amounts differ by ${currentValue} %`,
  };
}
