import type { DocumentKind } from '@granary/core/documents';
import type { FloodWindows } from '@granary/core/notifications/flood-window';
import type { RuleContent, StoredRule } from '@granary/core/notifications/rule';
import type { Sql, Value } from '../../sql.ts';
import { type OnUnreadable, reasonOf } from '../unreadable-row.ts';

export interface RulePage {
  readonly afterRuleId: string | null;
  readonly limit: number;
}

/** A rule with what the flood windows of its steps have counted. */
export interface RuleWithWindows extends StoredRule {
  readonly windows: FloodWindows;
}

type RuleDocument = DocumentKind<RuleContent>;
type RuleRow = [ruleId: string, createdAtMs: number, updatedAtMs: number, body: string, windows: string];

const SELECT_RULE = 'SELECT rule_id, created_at_ms, updated_at_ms, body, windows FROM notification_rules';

function toRule(document: RuleDocument, row: RuleRow): RuleWithWindows {
  const [ruleId, createdAtMs, updatedAtMs, body, windows] = row;
  return { ruleId, createdAtMs, updatedAtMs, content: document.read(body), windows: JSON.parse(windows) };
}

export async function findRule(
  sql: Sql,
  document: RuleDocument,
  ruleId: string,
): Promise<StoredRule | undefined> {
  const [row] = await sql.query<RuleRow>(`${SELECT_RULE} WHERE rule_id = $1`, [ruleId]);
  return row && toRule(document, row);
}

/** In the order of their ids; a rule that cannot be read is reported and left out. */
export async function listRules(
  sql: Sql,
  document: RuleDocument,
  { afterRuleId, limit }: RulePage,
  onUnreadable: OnUnreadable,
): Promise<RuleWithWindows[]> {
  const params: Value[] = [afterRuleId ?? '', limit];
  const rows = await sql.query<RuleRow>(
    `${SELECT_RULE} WHERE rule_id > $1 ORDER BY rule_id LIMIT $2`,
    params,
  );
  return rows.flatMap((row) => {
    try {
      return [toRule(document, row)];
    } catch (error) {
      onUnreadable({ kind: 'notification rule', id: row[0], reason: reasonOf(error) });
      return [];
    }
  });
}

export async function countRules(sql: Sql): Promise<number> {
  const [row] = await sql.query<[count: number]>('SELECT COUNT(*) FROM notification_rules');
  return row?.[0] ?? 0;
}

export async function insertRule(sql: Sql, document: RuleDocument, rule: StoredRule): Promise<void> {
  await sql.run(
    `INSERT INTO notification_rules (rule_id, created_at_ms, updated_at_ms, body, windows)
     VALUES ($1, $2, $3, $4, '{}')`,
    [rule.ruleId, rule.createdAtMs, rule.updatedAtMs, document.write(rule.content)],
  );
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
