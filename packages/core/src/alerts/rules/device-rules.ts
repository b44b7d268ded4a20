import type { Maintenance } from '@granary/contract/configuration/shared-configuration';
import { checkedTimeMs, HOUR_MS } from '@granary/contract/time';
import { deviceStatus, type Presence } from '../../devices/status.ts';
import type { Condition } from '../lifecycle.ts';
import { type Observed, offlineAlertAtMs } from '../observation.ts';

/** More severe when the device is offline during a job, such as `an operation`. */
export function deviceOffline(
  { presence, observedSinceMs }: { readonly presence: Presence } & Observed,
  during: string | null,
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
    message: during === null ? 'The device is offline' : `The device is offline during ${during}`,
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
    message: `Maintenance was due at ${next_scheduled}`,
    valueStep: 1,
    age: { sinceMs: dueAtMs, unitMs: HOUR_MS },
  };
}
