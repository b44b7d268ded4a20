import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '@granary/contract/alerts';
import type { AuditEntry } from '@granary/contract/audit';
import type { OperationRecord } from '@granary/contract/operations';
import { happeningsOf, worstOf } from './happenings.ts';

const NOTHING = { operations: [], alerts: [], notes: [], refills: [], changes: [] };
const at = (time: string): string => `2026-11-16T${time}Z`;

const alert = (type: Alert['type'], time: string, more: Partial<Alert> = {}): Alert =>
  ({ alert_id: `${type}-${time}`, type, created_at: at(time), severity: 'warning', ...more }) as Alert;
const of = (id: string): Partial<Alert> => ({ about: { kind: 'operation', id } });
const operation = (operation_id: string, time: string): OperationRecord =>
  ({ operation_id, started_at: at(time) }) as OperationRecord;
const change = (audit_id: string, request_id: string): AuditEntry =>
  ({ audit_id, request_id, at: at('09:00:00') }) as AuditEntry;

/** The kinds and the number of records in each, the newest first. */
const summary = (marks: Parameters<typeof happeningsOf>[0]): string[] =>
  happeningsOf(marks).map((one) =>
    one.kind === 'operation'
      ? `${one.operation.operation_id} with ${one.alerts.length}`
      : `${one.kind}${'alerts' in one ? ` ${one.alerts[0].type} ${one.alerts.length}` : ''}${'changes' in one ? ` ${one.changes.length}` : ''}`,
  );

test('the alerts about an operation are told with it, those about the silo are not', () => {
  const operations = [operation('second', '12:00:00'), operation('first', '10:00:00')];
  const alerts = [
    alert('low_level', '12:30:00'),
    alert('mass_imbalance', '12:20:00', of('second')),
    // This alert is raised after the second operation had begun.
    alert('operation_failed', '12:10:00', of('first')),
    alert('operation_failed', '12:05:00', of('second')),
    alert('operation_failed', '10:10:00', of('first')),
  ];
  assert.deepEqual(summary({ ...NOTHING, operations, alerts }), [
    'alert low_level 1',
    'second with 2',
    'first with 2',
  ]);
});

test('an alert about an operation that is not known has a line of its own', () => {
  assert.deepEqual(
    summary({
      ...NOTHING,
      operations: [operation('later', '12:00:00')],
      alerts: [alert('operation_failed', '12:00:00', of('earlier'))],
    }),
    ['later with 0', 'alert operation_failed 1'],
  );
});

test('an alert that comes again within an hour is one line, of one rule', () => {
  const alerts = [
    alert('device_offline', '12:00:00'),
    alert('sensor_threshold', '11:50:00', { rule: 'temp_1 above warning' }),
    alert('device_offline', '11:30:00'),
    alert('sensor_threshold', '11:20:00', { rule: 'temp_2 above warning' }),
    alert('device_offline', '10:45:00'),
    alert('device_offline', '08:00:00'),
  ];
  assert.deepEqual(summary({ ...NOTHING, alerts }), [
    'alert device_offline 3',
    'alert sensor_threshold 1',
    'alert sensor_threshold 1',
    'alert device_offline 1',
  ]);
});

test('a low level is told by the critical level of the same reading', () => {
  const critical = alert('critical_level', '12:00:00');
  assert.deepEqual(summary({ ...NOTHING, alerts: [critical, alert('low_level', '12:00:00')] }), [
    'alert critical_level 1',
  ]);
  assert.deepEqual(summary({ ...NOTHING, alerts: [critical, alert('low_level', '11:00:00')] }), [
    'alert critical_level 1',
    'alert low_level 1',
  ]);
});

test('what one request changed is one line', () => {
  const changes = [change('a', 'one'), change('b', 'one'), change('c', 'other')];
  assert.deepEqual(summary({ ...NOTHING, changes }), ['change 2', 'change 1']);
});

test('several alerts are as severe as the worst, and over when all are', () => {
  const over = alert('mass_imbalance', '12:00:00', { status: 'resolved' });
  const open = alert('operation_failed', '12:00:00', { status: 'active', severity: 'critical' });
  assert.deepEqual(worstOf([over, open]), { severity: 'critical', isResolved: false });
  assert.deepEqual(worstOf([over]), { severity: 'warning', isResolved: true });
  assert.equal(worstOf([]), null);
});
