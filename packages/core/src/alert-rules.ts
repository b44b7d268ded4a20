import { CHANNELS, CHANNELS_OF, type ChannelName } from '@granary/contract/channels';
import type { SiloConfiguration } from '@granary/contract/configuration';
import { SECOND_MS } from '@granary/contract/time';
import type { Condition } from './alerts.ts';
import { deviceOffline, maintenanceDue } from './device-alert-rules.ts';
import { deviceStatus, freshnessMs, type Presence } from './devices.ts';
import { levelRules, stateAt } from './level-rules.ts';
import { IMBALANCE_PERCENT_MAX, massBalance } from './mass-balance.ts';
import { shownFailure } from './operation-detail.ts';
import { finallyMeasuredG, holdsDevice, type OperationState } from './operation-state.ts';
import { isPlausible, type LatestValue, type LatestValues, tidy } from './telemetry.ts';
import { toGrams } from './units.ts';

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
export function conditionsOf(facts: SiloFacts, nowMs: number): Condition[] {
  return [
    ...levelConditions(facts, nowMs),
    sensorStale(facts, nowMs),
    deviceOffline(facts.presence, facts.operations.some(holdsDevice) ? 'an operation' : null, nowMs),
    operationFailed(facts),
    massImbalance(facts),
    maintenanceDue(facts.configuration.maintenance, nowMs),
  ];
}

const isFresh = ({ tsMs }: LatestValue, presence: Presence, nowMs: number): boolean =>
  nowMs - tsMs <= freshnessMs(presence);

const isBelievable = (channel: ChannelName, { value }: LatestValue, capacityKg: number): boolean =>
  isPlausible(channel, value / CHANNELS[channel].scale, capacityKg);

/** A weight that is old or cannot be true says nothing about the level. */
function levelConditions(
  { presence, latest, capacityKg, configuration }: SiloFacts,
  nowMs: number,
): Condition[] {
  const capacityG = toGrams(capacityKg, 'kg');
  const { weight } = latest;
  const isUsable =
    weight !== undefined && isFresh(weight, presence, nowMs) && isBelievable('weight', weight, capacityKg);
  return levelRules(configuration.thresholds, capacityG).map((rule): Condition => {
    const { type, severity, thresholdPercent: threshold, side } = rule;
    if (!isUsable) return { type, state: 'unsure' };
    const state = stateAt(rule, weight.value);
    if (state !== 'present') return { type, state };
    const currentValue = tidy((weight.value / capacityG) * 100);
    const message = `level ${currentValue.toFixed(1)} % is ${side === 'bottom' ? 'at or below' : 'at or above'} ${threshold} %`;
    return { type, state, severity, currentValue, threshold, cause: null, message };
  });
}

/** An offline device has no fresh values, and in maintenance its sensors may be off: neither tells of a broken one. */
function sensorStale({ presence, latest, capacityKg }: SiloFacts, nowMs: number): Condition {
  const type = 'sensor_stale';
  if (deviceStatus(presence, nowMs) !== 'online') return { type, state: 'unsure' };
  for (const channel of CHANNELS_OF.silo) {
    const value = latest[channel];
    if (value === undefined) continue;
    if (!isFresh(value, presence, nowMs)) {
      const currentValue = Math.round((nowMs - value.tsMs) / SECOND_MS);
      const message = `no ${channel} for ${currentValue} s although the device is online`;
      const threshold = freshnessMs(presence) / SECOND_MS;
      return { type, state: 'present', severity: 'warning', currentValue, threshold, cause: null, message };
    }
    if (!isBelievable(channel, value, capacityKg)) {
      const currentValue = value.value / CHANNELS[channel].scale;
      const message = `${channel} ${currentValue} ${CHANNELS[channel].unit} cannot be true`;
      return {
        type,
        state: 'present',
        severity: 'warning',
        currentValue,
        threshold: null,
        cause: null,
        message,
      };
    }
  }
  return { type, state: 'absent' };
}

const newestOf = (operations: readonly OperationState[]): OperationState | undefined =>
  operations.reduce<OperationState | undefined>(
    (newest, operation) =>
      newest === undefined || operation.startedAtMs > newest.startedAtMs ? operation : newest,
    undefined,
  );

/** Critical as long as something may be moving that should not. One that was started at the device has not failed. */
function operationFailed({ operations }: SiloFacts): Condition {
  const type = 'operation_failed';
  const newest = newestOf(operations);
  const failing = operations.filter(
    (operation) => hasFailed(operation) && (operation === newest || holdsDevice(operation)),
  );
  const worst = failing.find(holdsDevice) ?? failing[0] ?? operations.find(isUnasked);
  if (worst === undefined) return { type, state: 'absent' };
  const name = `operation ${worst.operationId}`;
  const failure = shownFailure(worst);
  return {
    type,
    state: 'present',
    severity: failure === null ? severityOfUnasked(operations) : severityOfFailed(worst),
    currentValue: null,
    threshold: null,
    cause: worst.operationId,
    message:
      failure === null
        ? `${name} was started at the device, not through this service`
        : `${name} failed: ${failure.message}`,
  };
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
