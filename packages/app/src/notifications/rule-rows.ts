import type { Labels } from '@granary/contract/devices/labels';
import type { EventType } from '@granary/contract/events';
import type { DocumentKind } from '@granary/core/documents';
import type { FloodWindows } from '@granary/core/notifications/dispatch';
import type { RuleContent, StoredRule } from '@granary/core/notifications/rule';
import { insertRows } from '@granary/store/rows';
import type { Sql, Value } from '@granary/store/sql';
import { type OnUnreadable, reasonOf } from '../unreadable-row.ts';

export interface RulePage {
  readonly afterRuleId: string | null;
  readonly limit: number;
}

/** A rule, with the counts of the flood windows of its steps. */
export interface RuleWithWindows extends StoredRule {
  readonly windows: FloodWindows;
}

type RuleDocument = DocumentKind<RuleContent>;
interface RuleRow extends Omit<StoredRule, 'content'> {
  readonly body: string;
  readonly windows: string;
}

const SELECT_RULE =
  'SELECT rule_id, owner_id, created_at_ms, updated_at_ms, body, windows FROM notification_rules';

function toRule(document: RuleDocument, { body, windows, ...fields }: RuleRow): RuleWithWindows {
  return { ...fields, content: document.read(body), windows: JSON.parse(windows) };
}

export async function findRule(
  sql: Sql,
  document: RuleDocument,
  ruleId: string,
): Promise<StoredRule | undefined> {
  const [row] = await sql.query<RuleRow>(`${SELECT_RULE} WHERE rule_id = $1 AND owner_id IS NULL`, [ruleId]);
  return row && toRule(document, row);
}

/** Finds the rule that has a person's own notification settings. */
export async function findOwnRule(
  sql: Sql,
  document: RuleDocument,
  ownerId: string,
): Promise<StoredRule | undefined> {
  const [row] = await sql.query<RuleRow>(`${SELECT_RULE} WHERE rule_id = $1 AND owner_id = $1`, [ownerId]);
  return row && toRule(document, row);
}

/** Lists the rules of the site in the order of their ids; a rule that cannot be read is reported and left out. */
export async function listRules(
  sql: Sql,
  document: RuleDocument,
  { afterRuleId, limit }: RulePage,
  onUnreadable: OnUnreadable,
): Promise<RuleWithWindows[]> {
  const params: Value[] = [afterRuleId ?? '', limit];
  const rows = await sql.query<RuleRow>(
    `${SELECT_RULE} WHERE rule_id > $1 AND owner_id IS NULL ORDER BY rule_id LIMIT $2`,
    params,
  );
  return readable(document, rows, onUnreadable);
}

/** Lists the rules that belong to these people. */
export async function listOwnRules(
  sql: Sql,
  document: RuleDocument,
  ownerIds: readonly string[],
  onUnreadable: OnUnreadable,
): Promise<RuleWithWindows[]> {
  const rows = await sql.query<RuleRow>(
    `${SELECT_RULE} WHERE ${sql.isOneOf('owner_id', '$1')} ORDER BY rule_id`,
    [JSON.stringify(ownerIds)],
  );
  return readable(document, rows, onUnreadable);
}

function readable(
  document: RuleDocument,
  rows: readonly RuleRow[],
  onUnreadable: OnUnreadable,
): RuleWithWindows[] {
  return rows.flatMap((row) => {
    try {
      return [toRule(document, row)];
    } catch (error) {
      onUnreadable({ kind: 'notification rule', id: row.ruleId, reason: reasonOf(error) });
      return [];
    }
  });
}

export async function countRules(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT COUNT(*) AS count FROM notification_rules WHERE owner_id IS NULL',
  );
  return row?.count ?? 0;
}

export async function insertRule(sql: Sql, document: RuleDocument, rule: StoredRule): Promise<void> {
  const { ruleId, ownerId, createdAtMs, updatedAtMs, content } = rule;
  await insertRows(sql, { table: 'notification_rules' }, [
    { ruleId, ownerId, createdAtMs, updatedAtMs, body: document.write(content), windows: '{}' },
  ]);
}

export async function saveRule(sql: Sql, document: RuleDocument, rule: StoredRule): Promise<void> {
  await sql.run('UPDATE notification_rules SET updated_at_ms = $2, body = $3 WHERE rule_id = $1', [
    rule.ruleId,
    rule.updatedAtMs,
    document.write(rule.content),
  ]);
}

export async function saveWindows(sql: Sql, ruleId: string, windows: FloodWindows): Promise<void> {
  await sql.run('UPDATE notification_rules SET windows = $2 WHERE rule_id = $1', [
    ruleId,
    JSON.stringify(windows),
  ]);
}

export async function removeRule(sql: Sql, ruleId: string): Promise<void> {
  await sql.run('DELETE FROM notification_rules WHERE rule_id = $1', [ruleId]);
}

/**
 * Locks and returns the number of the last event that the rules have seen. Every write that decides what to tell, or changes a
 * rule, takes this lock, so that one node does this at a time. Every write waits for the lock: a sender that gave up instead
 * could be kept out by people who change their settings again and again.
 */
export async function lockPosition(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ lastSequence: number }>(
    `SELECT last_sequence FROM notification_position ${sql.forUpdate}`,
  );
  return row?.lastSequence ?? 0;
}

export async function savePosition(sql: Sql, lastSequence: number): Promise<void> {
  await sql.run('UPDATE notification_position SET last_sequence = $1', [lastSequence]);
}

export async function newestSequence(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ lastSequence: number }>('SELECT last_sequence FROM event_counter');
  return row?.lastSequence ?? 0;
}

interface EventRow {
  readonly sequence: number;
  readonly type: EventType;
  readonly atMs: number;
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly facility: string;
  readonly labels: string | null;
  readonly data: string;
}

export interface EventRange {
  readonly after: number;
  readonly upTo: number;
  readonly types: readonly EventType[];
  readonly limit: number;
}

/** An event as it was logged, with its device. */
export interface ToldEvent extends Omit<EventRow, 'data' | 'labels'> {
  readonly labels: Labels;
  readonly data: unknown;
}

/** Returns the events of these types about devices that still exist, in order. */
export async function toldEvents(sql: Sql, { after, upTo, types, limit }: EventRange): Promise<ToldEvent[]> {
  const rows = await sql.query<EventRow>(
    `SELECT sequence, type, at_ms, device_no, device_id, devices.name AS device_name, facility, labels, data FROM events JOIN devices USING (device_no)
     WHERE sequence > $1 AND sequence <= $2 AND ${sql.isOneOf('type', '$3')} AND purged_device_id IS NULL
     ORDER BY sequence LIMIT $4`,
    [after, upTo, JSON.stringify(types), limit],
  );
  return rows.map(({ data, labels, ...row }) => ({
    ...row,
    data: JSON.parse(data),
    labels: labels === null ? {} : JSON.parse(labels),
  }));
}
