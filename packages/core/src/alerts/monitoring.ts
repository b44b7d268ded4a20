import type { Alarms, Reporting, ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { SECOND_MS } from '@granary/contract/time';
import type { Presence } from '../devices/status.ts';
import type { AlertDelays } from './lifecycle.ts';

/** The part of a configuration with the reporting interval, the offline delay, the alarm filters and the threshold rules. */
export interface Monitoring {
  readonly reporting: Reporting;
  readonly alarms: Alarms;
  readonly rules: ThresholdRule[];
}

export const DEFAULT_MONITORING: Monitoring = {
  reporting: { interval_s: 10, offline_delay_s: 30 },
  alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
  rules: [],
};

/** A patch, or a document stored before these settings existed, may have any part of them. */
export interface PartialMonitoring {
  readonly reporting?: Partial<Reporting>;
  readonly alarms?: Partial<Alarms>;
  readonly rules?: ThresholdRule[];
}

export const patchMonitoring = (current: Monitoring, patch: PartialMonitoring): Monitoring => ({
  reporting: { ...current.reporting, ...patch.reporting },
  alarms: { ...current.alarms, ...patch.alarms },
  rules: patch.rules ?? current.rules,
});

/** The form stored with the presence of a device, so that a list of devices does not need their configurations. */
export const reportingTimes = ({
  interval_s,
  offline_delay_s,
}: Reporting): Pick<Presence, 'reportingIntervalMs' | 'offlineDelayMs'> => ({
  reportingIntervalMs: Math.max(1, Math.round(interval_s * SECOND_MS)),
  offlineDelayMs: Math.round(offline_delay_s * SECOND_MS),
});

export const delaysOf = ({
  on_delay_s,
  off_delay_s,
}: Pick<Alarms, 'on_delay_s' | 'off_delay_s'>): AlertDelays => ({
  onMs: Math.round(on_delay_s * SECOND_MS),
  offMs: Math.round(off_delay_s * SECOND_MS),
});
