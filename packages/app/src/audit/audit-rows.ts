import type { Actor, AuditResult } from '@granary/contract/audit';
import type { ErrorCode } from '@granary/contract/errors';
import type { Limits } from '@granary/core/keys';
import { type Expiry, expireRows } from '@granary/store/expiry';
import type { Sql, Value } from '@granary/store/sql';
import { limitConditions, Parameters, where } from '../conditions.ts';
import type { UsedConfirmation } from '../confirmations.ts';
import type { CallerReference } from '../transaction.ts';

/** Who asks for which change, and from where. */
export interface Attempt {
  /** The id stays the same when a write is repeated, so that it is entered once. */
  readonly attemptId: string;
  readonly atMs: number;
  readonly requestId: string;
  readonly actor: Actor | null;
  readonly address: string;
  readonly action: string;
  readonly method: string;
  readonly path: string;
  readonly deviceId: string | null;
  /** The facility of a device that is not registered yet; for other devices the stored facility is used. */
  readonly facility: string | null;
  readonly resourceId: string | null;
  /** The input as JSON. */
  readonly input: string | null;
  /** The caller whose rights are compared with the change, after the subject of the change was locked. */
  readonly caller?: CallerReference;
  /** The confirmation, which is used up by the change. */
  readonly confirmation?: UsedConfirmation;
}

export interface AuditOutcome {
  readonly result: AuditResult;
  readonly code: ErrorCode | null;
  readonly count: number;
}

export interface AuditRow extends Attempt, AuditOutcome {
  readonly auditNo: number;
}

export interface AuditFilter {
  readonly limits: Limits;
  readonly deviceId: string | null;
  readonly facility: string | null;
  readonly keyId: string | null;
  readonly actor: string | null;
  readonly action: string | null;
  readonly result: AuditResult | null;
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** The place of a row in the order of the log. */
export interface AuditPosition {
  readonly atMs: number;
  readonly auditNo: number;
}

/** Returns whether the entry is new; a further refusal under the same id raises its count. */
export async function saveEntry(sql: Sql, attempt: Attempt, outcome: AuditOutcome): Promise<boolean> {
  return (await sql.run(...entryText(attempt, outcome))) === 1;
}

/** Does the same as `saveEntry`, without waiting for the result. */
export const addEntry = async (sql: Sql, attempt: Attempt, outcome: AuditOutcome): Promise<void> =>
  await sql.runUnawaited(...entryText(attempt, outcome));

function entryText(attempt: Attempt, outcome: AuditOutcome): [text: string, values: Value[]] {
  const { actor } = attempt;
  const onConflict =
    outcome.result === 'done' ? 'DO NOTHING' : 'DO UPDATE SET count = audit.count + excluded.count';
  const { bind, values } = new Parameters();
  const deviceId = bind(attempt.deviceId);
  const columns = {
    audit_id: bind(attempt.attemptId),
    at_ms: bind(attempt.atMs),
    request_id: bind(attempt.requestId),
    key_id: bind(actor?.key_id ?? null),
    key_name: bind(actor?.key_name ?? null),
    actor: bind(actor?.actor ?? null),
    terminal: bind(jsonOrNull(actor?.terminal)),
    by_key: bind(jsonOrNull(actor?.by_key)),
    confirmed_by: bind(jsonOrNull(actor?.confirmed_by)),
    agent: bind(actor?.agent ?? null),
    address: bind(attempt.address),
    action: bind(attempt.action),
    method: bind(attempt.method),
    path: bind(attempt.path),
    device_id: deviceId,
    facility: `COALESCE((SELECT facility FROM devices WHERE device_id = ${deviceId}), ${bind(attempt.facility)})`,
    resource_id: bind(attempt.resourceId),
    result: bind(outcome.result),
    code: bind(outcome.code),
    count: bind(outcome.count),
    input: bind(attempt.input),
  };
  const text = `INSERT INTO audit (${Object.keys(columns).join(', ')}) VALUES (${Object.values(columns).join(', ')})
     ON CONFLICT (audit_id) ${onConflict}`;
  return [text, values];
}

export async function removeEntry(sql: Sql, attemptId: string): Promise<void> {
  await sql.run('DELETE FROM audit WHERE audit_id = $1', [attemptId]);
}

interface Row extends Omit<AuditRow, 'attemptId' | 'actor'> {
  readonly auditId: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly actor: string | null;
  /** The terminal as JSON. */
  readonly terminal: string | null;
  readonly byKey: string | null;
  readonly confirmedBy: string | null;
  readonly agent: string | null;
}

/** Lists the entries, newest first. */
export async function listEntries(
  sql: Sql,
  filter: AuditFilter,
  before: AuditPosition | null,
  limit: number,
): Promise<AuditRow[]> {
  const parameters = new Parameters();
  const conditions = conditionsOf(sql, filter, parameters);
  const { bind } = parameters;
  if (before !== null) {
    conditions.push(`(at_ms, audit_no) < (${bind(before.atMs)}, ${bind(before.auditNo)})`);
  }
  const rows = await sql.query<Row>(
    `SELECT audit_no, audit_id, at_ms, request_id, key_id, key_name, actor, terminal, by_key, confirmed_by, agent, address, action, method, path,
       device_id, facility, resource_id, result, code, count, input
     FROM audit ${where(conditions)} ORDER BY at_ms DESC, audit_no DESC LIMIT ${bind(limit)}`,
    parameters.values,
  );
  return rows.map(entryOf);
}

function conditionsOf(sql: Sql, filter: AuditFilter, parameters: Parameters): string[] {
  const { limits, fromMs, toMs, result } = filter;
  const { bind } = parameters;
  const conditions = limitConditions(sql, limits, parameters, 'audit');
  const is = (column: string, value: string | null): void => {
    if (value !== null) conditions.push(`${column} = ${bind(value)}`);
  };
  is('device_id', filter.deviceId);
  is('facility', filter.facility);
  is('key_id', filter.keyId);
  is('actor', filter.actor);
  is('action', filter.action);
  // The result is text in the statement and no parameter, because only then is the index of the refusals used.
  if (result !== null) conditions.push(`result = '${result}'`);
  if (fromMs !== null) conditions.push(`at_ms >= ${bind(fromMs)}`);
  if (toMs !== null) conditions.push(`at_ms < ${bind(toMs)}`);
  return conditions;
}

const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value);

const entryOf = ({
  auditId,
  keyId,
  keyName,
  actor,
  terminal,
  byKey,
  confirmedBy,
  agent,
  ...entry
}: Row): AuditRow => ({
  ...entry,
  attemptId: auditId,
  actor:
    keyId === null
      ? null
      : {
          key_id: keyId,
          key_name: keyName ?? '',
          actor,
          ...(terminal === null ? {} : { terminal: JSON.parse(terminal) }),
          ...(byKey === null ? {} : { by_key: JSON.parse(byKey) }),
          ...(confirmedBy === null ? {} : { confirmed_by: JSON.parse(confirmedBy) }),
          ...(agent === null ? {} : { agent }),
        },
});

export const expireEntries = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(sql, { table: 'audit', key: 'audit_no', time: 'at_ms' }, expiry);
