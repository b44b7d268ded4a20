import type { AlertSeverity, AlertType } from '@granary/contract/alerts';
import { ALERTS, type AlertMessage } from '@granary/contract/sentences/alerts';
import { sentence } from '@granary/contract/sentences/english';
import { placeholdersOf } from '@granary/contract/sentences/sentence';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { SiloFinding } from '../../foresight/record.ts';
import type { Condition } from '../lifecycle.ts';

/** A silo that is known for fewer full days gives hints only. */
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
  /** Those that failed, and the types about which the data do not tell enough. */
  readonly failed: readonly SiloFinding[];
  readonly inconclusive: readonly string[];
}

/** Where the sentence of an alert has another code than the finding. */
const CODES: Readonly<Record<string, keyof typeof ALERTS>> = {
  stuck: 'weight_stuck',
  drift: 'scale_drifts',
  less_than_noted: 'delivery_differs',
  more_than_noted: 'delivery_differs',
  scale_differs_always: 'delivery_differs',
  point_gets_warmer: 'grain_gets_warmer',
};

const isCode = (code: string): code is keyof typeof ALERTS => Object.hasOwn(ALERTS, code);

/** With the numbers of the evidence; a finding that has no sentence of its own is named. */
function messageOf({ code, values }: SiloFinding): AlertMessage {
  const known = CODES[code] ?? code;
  const isComplete =
    isCode(known) && placeholdersOf(ALERTS[known]).every(({ name }) => typeof values[name] === 'number');
  if (isComplete) return { code: known, values: { ...values } };
  return sentence('examination_failed', { what: code.replaceAll('_', ' ') });
}

const shown = (severity: 'warning' | 'critical', knownDays: number): AlertSeverity =>
  knownDays < KNOWN_DAYS_MIN ? 'info' : severity;

/** `null` while there is no forecast. */
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
  const failed = alarms?.failed.filter((finding) => finding.type === type) ?? [];
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
    message: messageOf(worst),
    valueStep: Math.max(1, Math.abs(value ?? 0) * 0.2),
  };
}
