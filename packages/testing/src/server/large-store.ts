import type { StoreLocation } from '@granary/app/app';
import { SESSIONS_PER_KEY_MAX } from '@granary/core/session';
import { type CopiedRows, copyRows } from '../app/copied-rows.ts';
import { queryStore } from '../app/engines.ts';
import { bridgedDevice } from './scripted-bridge.ts';

/** The amounts of each kind that keys have made. */
export interface StoredAmounts {
  readonly devices: number;
  readonly bridges: number;
  readonly devicesPerBridge: number;
  readonly people: number;
  readonly keys: number;
  readonly alerts: number;
  /** The amount of every other kind that is stored one by one. */
  readonly others: number;
}

/** Copies what a service has already stored, at least one of each kind; the service must not run meanwhile. */
export async function enlargeStore(location: StoreLocation, amounts: StoredAmounts): Promise<void> {
  const { devices, bridges, devicesPerBridge, people, keys, alerts, others } = amounts;
  const sql = (text: string) => queryStore(location, text);
  const copy = async (rows: CopiedRows): Promise<void> => copyRows(location, rows);
  await copy({
    table: 'devices',
    by: 'device_no',
    where: "device_group = 'silo' AND removed_at_ms IS NULL",
    count: devices,
    changed: { device_id: "'copied-' || n", name: "'Silo ' || n", facility: "'f-' || (n % 50)" },
    generated: ['device_no'],
  });
  const copied = "SELECT device_no FROM devices WHERE device_id LIKE 'copied-%'";
  for (const table of ['presence', 'configurations', 'alert_evaluations']) {
    await copy({ table, by: 'device_no', count: { of: copied }, changed: { device_no: 'n' } });
  }
  // No work in the background may become due.
  const changed = { device_no: 'n', next_at_ms: 'one.next_at_ms + 100000000' };
  await copy({ table: 'forecasts', by: 'device_no', count: { of: copied }, changed });
  const old = (column: string, apartMs = 1_000) => ({ [column]: `one.${column} - n * ${apartMs}` });
  const ended = { status: "'completed'", is_finished: '1', ended_at_ms: 'one.advanced_at_ms' };
  await copy({
    table: 'alerts',
    by: 'alert_no',
    count: alerts,
    changed: { alert_id: "'alert-' || n", rule: "'rule ' || n" },
    generated: ['alert_no'],
  });
  const idOf = (name: string) => ({ [`${name}_id`]: `'${name}-' || n` });
  const numberOf = (name: string) => [`${name}_no`];
  for (const name of ['operation', 'mission', 'command']) {
    const claims = name === 'command' ? {} : { claims_device: '0' };
    await copy({
      table: `${name}s`,
      by: `${name}_no`,
      count: others,
      changed: { ...idOf(name), ...ended, ...claims },
      generated: numberOf(name),
    });
  }
  const copies: Omit<CopiedRows, 'count'>[] = [
    { table: 'alert_raises', by: 'raise_no', changed: old('at_ms'), generated: ['raise_no'] },
    { table: 'notes', by: 'note_no', changed: { ...idOf('note'), ...old('at_ms') }, generated: ['note_no'] },
    { table: 'proposals', by: 'proposal_no', changed: idOf('proposal'), generated: ['proposal_no'] },
    { table: 'handovers', by: 'handover_id', changed: { ...idOf('handover'), ...old('created_at_ms') } },
    { table: 'report_schedules', by: 'schedule_id', changed: idOf('schedule') },
    { table: 'views', by: 'view_id', changed: idOf('view') },
    {
      table: 'webhooks',
      by: 'webhook_no',
      changed: { ...idOf('webhook'), enabled: '0' },
      generated: ['webhook_no'],
    },
    { table: 'notification_rules', by: 'rule_no', changed: idOf('rule'), generated: ['rule_no'] },
    {
      table: 'notifications',
      by: 'notification_no',
      changed: { ...idOf('notification'), status: "'sent'" },
      generated: ['notification_no'],
    },
    {
      table: 'alarm_help',
      by: 'help_no',
      changed: { alert_type: "'sensor_threshold'", rule: "'temp_' || n || ' above warning'" },
      generated: ['help_no'],
    },
    { table: 'sign_ins', by: 'sign_in_no', changed: {}, generated: ['sign_in_no'] },
    {
      table: 'audit',
      by: 'audit_no',
      changed: { ...idOf('audit'), ...old('at_ms') },
      generated: ['audit_no'],
    },
    { table: 'refills', by: 'refill_no', changed: idOf('refill'), generated: ['refill_no'] },
    { table: 'findings', by: 'finding_no', changed: { sensor_id: "'s' || n" }, generated: ['finding_no'] },
    { table: 'rejections', by: 'rejection_no', changed: {}, generated: ['rejection_no'] },
    { table: 'configuration_versions', by: 'version', changed: { version: 'one.version + n' } },
    { table: 'plants', by: 'id', changed: { id: 'one.id + n' } },
  ];
  for (const rows of copies) await copy({ ...rows, count: others });
  // A key has at most this many sessions.
  await copy({
    table: 'sessions',
    by: 'hash',
    count: SESSIONS_PER_KEY_MAX - 1,
    changed: { hash: "'session-' || n" },
  });
  const person = { key_id: "'per_' || n", hash: "'per_' || n", name: "'Name ' || n" };
  await copy({ table: 'keys', by: 'key_id', where: "kind = 'person'", count: people, changed: person });
  await copy({
    table: 'people',
    by: 'key_id',
    count: people,
    changed: { key_id: "'per_' || n", login: "'copied-' || n" },
  });
  await copy({
    table: 'keys',
    by: 'key_id',
    where: "kind = 'service'",
    count: keys,
    changed: { key_id: "'key_' || n", hash: "'key_' || n" },
  });
  await copy({
    table: 'keys',
    by: 'key_id',
    where: "kind = 'terminal' OR kind = 'display'",
    count: keys,
    changed: { key_id: "'ter_' || n", hash: "'ter_' || n" },
  });
  await copy({
    table: 'bridges',
    by: 'bridge_id',
    count: bridges - 1,
    changed: { bridge_id: "'bridge-' || n" },
  });
  await copy({
    table: 'bridge_keys',
    by: 'bridge_id',
    count: bridges - 1,
    changed: { bridge_id: "'bridge-' || n" },
  });
  const body = JSON.stringify(bridgedDevice('copied-1')).replaceAll("'", "''");
  // The first bridge has devices that are registered.
  await sql(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${devicesPerBridge})
     INSERT INTO bridge_parts (bridge_id, kind, name, state, unit_differs, body)
     SELECT bridge_id, 'device', 'copied-' || n, 'answering', 0, '${body}' FROM bridges CROSS JOIN numbers`,
  );
  if (location.engine === 'postgres') await sql('ANALYZE');
}
