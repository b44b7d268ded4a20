import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { sentence } from '@granary/contract/sentences/codes';
import type { Presence } from '../../devices/status.ts';
import { stopOverdueAtMs } from '../../operations/declared-end.ts';
import { failedOperation, imbalance, operationName } from '../../operations/sentences.ts';
import { holdsDevice, type OperationState, reportedAmountG } from '../../operations/state.ts';
import { shownFailure } from '../../operations/status-detail.ts';
import { finallyMeasuredG, IMBALANCE_PERCENT_MAX, massBalance } from '../../operations/weighing.ts';
import type { LatestValues, Sensor } from '../../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { isBelievable } from '../../telemetry/plausibility.ts';
import { roundTo6, toGrams } from '../../units.ts';
import type { AlertRules } from '../evaluation.ts';
import type { Condition } from '../lifecycle.ts';
import { type Observed, valuesJudgedAtMs } from '../observation.ts';
import { deviceOffline, maintenanceDue } from './device-rules.ts';
import { type ForesightAlarms, foresightConditions } from './foresight-rules.ts';
import { levelRules, valueStepPercent } from './level-rules.ts';
import { isFresh, sensorFault, sensorStale } from './sensor-rules.ts';
import { stateAt } from './value-range.ts';

/** The facts for the alerts of a silo. */
export interface SiloFacts {
  readonly deviceNo: number;
  readonly presence: Presence;
  readonly capacityKg: number;
  readonly latest: LatestValues;
  readonly sensors: readonly Sensor[];
  readonly configuration: SiloConfiguration;
  /** The latest operation, and all others that occupy the device. */
  readonly operations: readonly OperationState[];
  /** The meaning of the last forecast for the alerts; `null` without a forecast. */
  readonly foresight?: ForesightAlarms | null;
}

/** The present conditions of a silo, exactly one for each type of alert it can have. */
export function conditionsOf(facts: SiloFacts & Observed, nowMs: number): Condition[] {
  return [
    ...levelConditions(facts, valuesJudgedAtMs(facts, nowMs)),
    sensorStale(facts, nowMs),
    sensorFault(facts, nowMs),
    deviceOffline(facts, facts.operations.some(holdsDevice) ? 'operation' : null, nowMs),
    operationFailed(facts, nowMs),
    massImbalance(facts),
    maintenanceDue(facts.configuration.maintenance, nowMs),
    ...foresightConditions(facts.foresight ?? null),
  ];
}

export const siloRules: AlertRules<SiloFacts> = {
  conditionsOf,
  timesMs: ({ operations, observedSinceMs }) =>
    operations.flatMap((operation) => stopOverdueAtMs(operation, observedSinceMs) ?? []),
};

/** An old or implausible weight says nothing about the level. */
function levelConditions(
  { presence, latest, capacityKg, configuration }: SiloFacts,
  judgedAtMs: number,
): Condition[] {
  const capacityG = toGrams(capacityKg, 'kg');
  const { weight } = latest;
  const valueStep = valueStepPercent(configuration.alarms);
  const isUsable =
    weight !== undefined &&
    isFresh(STANDARD_SENSORS.weight, weight, presence, judgedAtMs) &&
    isBelievable(STANDARD_SENSORS.weight, weight, capacityKg);
  return levelRules(configuration, capacityG).map((rule): Condition => {
    const { type, severity, thresholdPercent: threshold, side } = rule;
    if (!isUsable) return { type, state: 'indeterminate' };
    const state = stateAt(rule, weight.value);
    if (state !== 'present') return { type, state };
    const currentValue = roundTo6((weight.value / capacityG) * 100);
    const message = sentence(side === 'bottom' ? 'level_below' : 'level_above', {
      level: currentValue,
      limit: threshold,
    });
    return { type, state, severity, currentValue, threshold, cause: null, message, valueStep };
  });
}

const newestOf = (operations: readonly OperationState[]): OperationState | undefined =>
  operations.reduce<OperationState | undefined>(
    (newest, operation) =>
      newest === undefined || operation.startedAtMs > newest.startedAtMs ? operation : newest,
    undefined,
  );

/** Critical while material may be moving that should not move; an operation started at the device does not count as failed. */
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
  const failure = shownFailure(worst);
  if (failure !== null) {
    return { ...present, severity: severityOfFailed(worst), message: failedOperation(worst, failure) };
  }
  if (isOverdue(worst)) {
    return {
      ...present,
      severity: 'critical',
      message: sentence('operation_stop_unconfirmed', { operation: operationName(worst) }),
    };
  }
  return {
    ...present,
    severity: severityOfUnasked(operations),
    message: sentence(`${worst.type ?? 'operation'}_unasked`),
  };
}

/** A start that was not sent does not count as failed: its caller was told in the answer, and nothing moved. */
const hasFailed = ({ failure }: OperationState): boolean => failure !== null && failure.reason !== 'not_sent';

const severityOfFailed = (operation: OperationState): 'warning' | 'critical' =>
  holdsDevice(operation) ? 'critical' : 'warning';

/** Two operations at the same time make the measured amount of both meaningless. */
const severityOfUnasked = (operations: readonly OperationState[]): 'info' | 'warning' =>
  operations.filter(holdsDevice).length > 1 ? 'warning' : 'info';

const isUnasked = (operation: OperationState): boolean => operation.plan === null && holdsDevice(operation);

/** The condition is evaluated when both amounts of the latest operation are known and final; until then the previous result is kept. */
function massImbalance({ operations, capacityKg }: SiloFacts): Condition {
  const type = 'mass_imbalance';
  const newest = newestOf(operations);
  if (newest === undefined) return { type, state: 'absent' };
  const measuredG = finallyMeasuredG(newest);
  const reportedG = reportedAmountG(newest);
  if (measuredG === null || reportedG === null) return { type, state: 'indeterminate' };
  const balance = massBalance(reportedG, measuredG, toGrams(capacityKg, 'kg'));
  if (!balance.isImbalanced) return { type, state: 'absent' };
  const currentValue = Math.round(balance.differencePercent * 10) / 10;
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue,
    threshold: IMBALANCE_PERCENT_MAX,
    cause: newest.operationId,
    message: imbalance(newest, measuredG, currentValue),
  };
}
