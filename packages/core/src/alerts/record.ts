import type { Alert, AlertAbout, AlertType } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import { messageOf } from '@granary/contract/sentences/english';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import type { AlertState } from './lifecycle.ts';
import { sensorIdOf } from './rule-key.ts';

/** The events of a change. */
export function alertEvents(before: AlertState | null, after: AlertState | null): EventType[] {
  if (after === null || after.status === 'pending') return [];
  if (before === null || before.status === 'pending' || before.alertId !== after.alertId)
    return ['alert.raised'];
  const events: EventType[] = [];
  if (after.severity !== before.severity) events.push('alert.severity_raised');
  if (after.cause !== before.cause) events.push('alert.updated');
  if (after.status !== before.status) events.push('alert.status_changed');
  if (after.shelvedUntilMs !== before.shelvedUntilMs) {
    events.push(after.shelvedUntilMs === null ? 'alert.unshelved' : 'alert.shelved');
  }
  return events;
}

/** The alert has become active, for the first time or again. */
export const isRaised = (before: AlertState | null, after: AlertState): boolean =>
  after.status === 'active' &&
  (before === null || before.alertId !== after.alertId || before.status !== 'active');

/** The cause of an alert of these types is the id of a record of this kind. */
const ABOUT_KINDS: Readonly<Partial<Record<AlertType, AlertAbout['kind']>>> = {
  operation_failed: 'operation',
  mass_imbalance: 'operation',
  mission_failed: 'mission',
  emergency_stop_unconfirmed: 'command',
};

function aboutOf({ type, cause }: AlertState): AlertAbout | null {
  const kind = ABOUT_KINDS[type];
  return kind === undefined || cause === null ? null : { kind, id: cause };
}

/** The record for callers; `null` for a pending alert, which is not shown. */
export function alertRecord(alert: AlertState): Alert | null {
  if (alert.status === 'pending') return null;
  const about = aboutOf(alert);
  return {
    alert_id: alert.alertId,
    type: alert.type,
    severity: alert.severity,
    ...messageOf(alert.message),
    current_value: alert.currentValue,
    threshold: alert.threshold,
    created_at: toIso(alert.createdAtMs),
    status: alert.status,
    acknowledged_by: alert.acknowledgedBy,
    acknowledged_at: toIsoOrNull(alert.acknowledgedAtMs),
    acknowledged_with: alert.acknowledgedWith,
    note: alert.note,
    cleared_at: toIsoOrNull(alert.clearedAtMs),
    resolved_at: toIsoOrNull(alert.resolvedAtMs),
    shelved_until: toIsoOrNull(alert.shelvedUntilMs),
    shelve_reason: alert.shelveReason,
    shelved_by: alert.shelvedBy,
    shelved_with: alert.shelvedWith,
    ...(about === null ? {} : { about }),
    ...(alert.rule === null ? {} : { sensor_id: sensorIdOf(alert.rule), rule: alert.rule }),
  };
}
