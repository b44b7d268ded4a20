import type { Maintenance } from '@granary/contract/configuration/shared-configuration';
import type { AlertMessage } from '@granary/contract/sentences/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import type { WordOf } from '@granary/contract/sentences/words';
import { checkedTimeMs, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { deviceStatus, freshnessMs, type Presence } from '../../devices/status.ts';
import { DUPLICATE_TAKEOVERS_MIN, type Duplicate, duplicateUntilMs } from '../../reception/duplicate.ts';
import {
  CLOCK_OFFSET_MS_MAX,
  explainsOldValuesUntilMs,
  REFUSED_MESSAGES_MIN,
  type Reception,
  refusalSentence,
  toldRefusedReadings,
  wrongClockMs,
} from '../../reception/reception.ts';
import type { Condition } from '../lifecycle.ts';
import { type Observed, offlineAlertAtMs } from '../observation.ts';

/** The alert is more severe when the device is offline during a job. */
export function deviceOffline(
  { presence, observedSinceMs }: { readonly presence: Presence } & Observed,
  during: WordOf<'job'> | null,
  nowMs: number,
): Condition {
  const type = 'device_offline';
  const alarmAtMs = offlineAlertAtMs(presence, observedSinceMs);
  if (alarmAtMs === null || deviceStatus(presence, nowMs) !== 'offline') return { type, state: 'absent' };
  if (nowMs < alarmAtMs) return { type, state: 'indeterminate' };
  return {
    type,
    state: 'present',
    severity: during === null ? 'warning' : 'critical',
    currentValue: null,
    threshold: null,
    cause: null,
    message: during === null ? sentence('went_offline') : sentence('went_offline_during', { job: during }),
  };
}

export function maintenanceDue({ next_scheduled }: Maintenance, nowMs: number): Condition {
  const type = 'maintenance_due';
  const dueAtMs = checkedTimeMs(next_scheduled);
  if (nowMs < dueAtMs) return { type, state: 'absent' };
  return {
    type,
    state: 'present',
    severity: 'info',
    currentValue: Math.floor((nowMs - dueAtMs) / HOUR_MS),
    threshold: 0,
    cause: null,
    message: sentence('maintenance_overdue', { due: next_scheduled }),
    valueStep: 1,
    age: { sinceMs: dueAtMs, unitMs: HOUR_MS },
  };
}

/** The facts about the messages and connections of a device; `null` while there is nothing unusual. */
export interface ReceptionFacts {
  readonly presence: Presence;
  readonly reception?: Reception | null;
  readonly duplicate?: Duplicate | null;
}

/** The conditions of every device that follow from how its messages arrive. */
export const receptionConditions = (facts: ReceptionFacts, nowMs: number): Condition[] => [
  readingsRejected(facts),
  clockWrong(facts),
  duplicateDevice(facts, nowMs),
];

/** The times at which one of these conditions changes without a message. */
export function receptionTimesMs({ presence, reception = null, duplicate = null }: ReceptionFacts): number[] {
  const explainedUntilMs = explainsOldValuesUntilMs(reception, freshnessMs(presence));
  return [
    ...(duplicate === null ? [] : [duplicateUntilMs(duplicate)]),
    ...(explainedUntilMs === null ? [] : [explainedUntilMs + 1]),
  ];
}

function readingsRejected({ reception = null }: ReceptionFacts): Condition {
  const type = 'readings_rejected';
  const refused = toldRefusedReadings(reception);
  if (refused === null) return { type, state: 'absent' };
  const { messages, taken, since, cause } = refused;
  const values = { cause: refusalSentence(cause), messages, since };
  return {
    type,
    state: 'present',
    severity: taken === 'none' ? 'warning' : 'info',
    currentValue: messages,
    threshold: REFUSED_MESSAGES_MIN,
    cause: null,
    message:
      taken === 'none' ? sentence('readings_refused', values) : sentence('readings_partly_refused', values),
  };
}

/**
 * Absent while an alert about refused readings is raised, because that alert covers a wrong clock whose readings are refused.
 * Otherwise readings are stored with a wrong time, so their values count as old.
 */
function clockWrong({ reception = null }: ReceptionFacts): Condition {
  const type = 'clock_wrong';
  const offsetMs = wrongClockMs(reception);
  if (offsetMs === null || toldRefusedReadings(reception) !== null) return { type, state: 'absent' };
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: Math.round(offsetMs / SECOND_MS),
    threshold: CLOCK_OFFSET_MS_MAX / SECOND_MS,
    cause: null,
    message: sentence(offsetMs > 0 ? 'clock_ahead_or_late' : 'clock_behind_or_late', {
      offset: Math.abs(offsetMs) / SECOND_MS,
    }),
  };
}

function duplicateDevice({ duplicate = null }: ReceptionFacts, nowMs: number): Condition {
  const type = 'duplicate_device';
  if (duplicate === null || nowMs >= duplicateUntilMs(duplicate)) return { type, state: 'absent' };
  const { takeovers, addresses } = duplicate;
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: takeovers,
    threshold: DUPLICATE_TAKEOVERS_MIN,
    cause: null,
    message: duplicateMessage(takeovers, addresses),
  };
}

function duplicateMessage(takeovers: number, addresses: readonly string[]): AlertMessage {
  const [first, ...others] = addresses;
  if (first === undefined) return sentence('two_clients_or_bad_link', { takeovers });
  return others.length === 0
    ? sentence('two_clients_same_address', { takeovers, address: first })
    : sentence('two_clients', { takeovers, addresses });
}
