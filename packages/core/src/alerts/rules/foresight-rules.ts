import type { AlertSeverity, AlertType } from '@granary/contract/alerts';
import { sentence } from '@granary/contract/sentences/codes';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { SiloFinding } from '../../foresight/record.ts';
import type { Condition } from '../lifecycle.ts';

/** The alerts from the forecast of a silo with fewer known full days have the severity `info`. */
const KNOWN_DAYS_MIN = 14;

const FOUND = [
  'no_flow',
  'unexplained_loss',
  'delivery_mismatch',
  'sensor_suspect',
  'hot_spot',
  'storage_life',
] as const satisfies readonly AlertType[];

/** What the last forecast of a silo means for its alerts. */
export interface ForesightAlarms {
  readonly knownDays: number;
  readonly predictedEmpty: {
    readonly severity: 'warning' | 'critical';
    readonly madeAtMs: number;
    readonly p10Ms: number | null;
  } | null;
  /** The failed findings, and the types of finding for which there are not enough data. */
  readonly failed: readonly Extract<SiloFinding, { readonly result: 'fail' }>[];
  readonly inconclusive: readonly string[];
}

const shown = (severity: 'warning' | 'critical', knownDays: number): AlertSeverity =>
  knownDays < KNOWN_DAYS_MIN ? 'info' : severity;

/** `alarms` is `null` while there is no forecast. */
export function foresightConditions(alarms: ForesightAlarms | null): Condition[] {
  return [predictedEmpty(alarms), ...FOUND.map((type) => found(type, alarms))];
}

function predictedEmpty(alarms: ForesightAlarms | null): Condition {
  const type = 'predicted_empty';
  const predicted = alarms?.predictedEmpty ?? null;
  if (alarms === null || predicted === null) return { type, state: 'absent' };
  const { severity, p10Ms, madeAtMs } = predicted;
  const leftMs = p10Ms === null ? 0 : Math.max(0, p10Ms - madeAtMs);
  return {
    type,
    state: 'present',
    severity: shown(severity, alarms.knownDays),
    currentValue: Math.round(leftMs / HOUR_MS),
    threshold: null,
    cause: null,
    message:
      leftMs === 0
        ? sentence('nothing_usable_left')
        : sentence('may_run_empty', { left: Math.round(leftMs / SECOND_MS) }),
    valueStep: 6,
  };
}

function found(type: (typeof FOUND)[number], alarms: ForesightAlarms | null): Condition {
  const failed = alarms?.failed.filter((fault) => fault.type === type) ?? [];
  const worst = failed.find(({ severity }) => severity === 'critical') ?? failed[0];
  if (alarms === null || worst === undefined) {
    return { type, state: alarms?.inconclusive.includes(type) === true ? 'indeterminate' : 'absent' };
  }
  const [value = null] = Object.values(worst.values);
  return {
    type,
    state: 'present',
    severity: shown(worst.severity === 'critical' ? 'critical' : 'warning', alarms.knownDays),
    currentValue: value,
    threshold: worst.limit,
    cause: failed.map(({ sensorId, code }) => sensorId || code).join(','),
    message: { code: worst.code, values: worst.values },
    valueStep: Math.max(1, Math.abs(value ?? 0) * 0.2),
  };
}
