import type { Alert, AlertSeverity } from '@granary/contract/alerts';
import type { AuditEntry } from '@granary/contract/audit';
import type { Refill } from '@granary/contract/foresight/refills';
import type { OperationRecord } from '@granary/contract/operations';
import { ALERT_SEVERITIES } from '@granary/contract/outline';
import type { Note } from '@granary/contract/shifts';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { ChartMarks } from './chart-data.ts';

/** An event at a device, with everything that has the same cause. */
export type Happening = { readonly at: string } & (
  | { readonly kind: 'operation'; readonly operation: OperationRecord; readonly alerts: readonly Alert[] }
  /** The alerts are newest first; there are several where the alert was raised again and again. */
  | { readonly kind: 'alert'; readonly alerts: readonly [Alert, ...Alert[]] }
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'refill'; readonly refill: Refill }
  /** The changes of one request. */
  | { readonly kind: 'change'; readonly changes: readonly [AuditEntry, ...AuditEntry[]] }
);

/** An alert that is raised again within this time has not had a new cause. */
const REPEATED_WITHIN_MS = HOUR_MS;
/** One reading raises both alerts of a level, so alerts within this time come from the same reading. */
const SAME_READING_MS = 10 * SECOND_MS;

/** The events of a device, the newest first, one for each cause. */
export function happeningsOf({ operations, alerts, notes, refills, changes }: ChartMarks): Happening[] {
  const byOperation = Map.groupBy(alerts, (alert) => operationOf(alert, operations)?.operation_id);
  const happenings: Happening[] = [
    ...operations.map((operation) => ({
      kind: 'operation' as const,
      at: operation.started_at,
      operation,
      alerts: byOperation.get(operation.operation_id) ?? [],
    })),
    ...repeatedAlerts(withoutLowerLevel(byOperation.get(undefined) ?? [])),
    ...notes.map((note) => ({ kind: 'note' as const, at: note.at, note })),
    ...refills.map((refill) => ({ kind: 'refill' as const, at: refill.began_at, refill })),
    ...[...Map.groupBy(changes, ({ request_id }) => request_id).values()].flatMap(
      ([first, ...others]): Happening[] =>
        first === undefined ? [] : [{ kind: 'change', at: first.at, changes: [first, ...others] }],
    ),
  ];
  return happenings.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

const operationOf = (
  { about }: Alert,
  operations: readonly OperationRecord[],
): OperationRecord | undefined =>
  about?.kind === 'operation' ? operations.find(({ operation_id }) => operation_id === about.id) : undefined;

/** Leaves out a low level when the same reading raised the critical level. */
function withoutLowerLevel(alerts: readonly Alert[]): Alert[] {
  const criticalMs = alerts
    .filter(({ type }) => type === 'critical_level')
    .map(({ created_at }) => Date.parse(created_at));
  return alerts.filter(
    ({ type, created_at }) =>
      type !== 'low_level' ||
      criticalMs.every((atMs) => Math.abs(atMs - Date.parse(created_at)) > SAME_READING_MS),
  );
}

function repeatedAlerts(alerts: readonly Alert[]): Happening[] {
  const byRule = Map.groupBy(alerts, ({ type, rule }) => `${type} ${rule ?? ''}`);
  return [...byRule.values()].flatMap((ofRule) => {
    const runs: [Alert, ...Alert[]][] = [];
    for (const alert of ofRule) {
      const run = runs.at(-1);
      const later = run?.at(-1);
      const isRepeated =
        later !== undefined &&
        Date.parse(later.created_at) - Date.parse(alert.created_at) <= REPEATED_WITHIN_MS;
      if (isRepeated) run?.push(alert);
      else runs.push([alert]);
    }
    return runs.map((run) => ({ kind: 'alert' as const, at: run[0].created_at, alerts: run }));
  });
}

/** The severity of the most severe alert; `null` where there is none. */
export const worstOf = (
  alerts: readonly Alert[],
): { severity: AlertSeverity; isResolved: boolean } | null => {
  const worst = alerts.reduce<Alert | undefined>(
    (found, alert) =>
      found === undefined ||
      ALERT_SEVERITIES.indexOf(alert.severity) > ALERT_SEVERITIES.indexOf(found.severity)
        ? alert
        : found,
    undefined,
  );
  return worst === undefined
    ? null
    : { severity: worst.severity, isResolved: alerts.every(({ status }) => status === 'resolved') };
};
