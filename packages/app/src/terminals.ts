import { Refusal } from '@granary/contract/errors';
import type { PrincipalKind } from '@granary/contract/keys';
import type { StoredKey } from '@granary/core/keys';
import { mayAdminister, type PinTries, type PinTry, pinTry } from '@granary/core/terminals';
import { quoted } from '@granary/core/words';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from './effects.ts';
import { logEvents } from './events/event-rows.ts';
import {
  insertKey,
  KEY_COLUMNS,
  type KeyPage,
  type KeyRow,
  lockKey,
  type NewStoredKey,
  toKey,
} from './keys/key-rows.ts';
import { revokeHeld } from './keys/keys.ts';
import type { PersonInSession } from './people/people.ts';
import { requireRight } from './rights.ts';
import { type CheckedSecret, refuseChanged, secretOf } from './session/checked-secret.ts';
import { insertCode, isSessionOf, type NewCode } from './session/session-rows.ts';
import type { Transaction } from './transaction.ts';

const IS_TERMINAL = "kind IN ('terminal', 'display')";

/** A person as a terminal sees them. */
export interface PersonAtTerminal {
  readonly person: StoredKey;
  readonly login: string;
  readonly hasPin: boolean;
  readonly tries: PinTries;
}

interface PersonRow extends KeyRow {
  readonly login: string;
  readonly hasPin: number;
  readonly triesCount: number | null;
  readonly triesLastAtMs: number | null;
}

/** Names a person at a terminal. */
interface Place {
  readonly terminalId: string;
  readonly personId: string;
}

/** Who is signed in at a terminal, and until when. */
interface PersonUntil {
  readonly personId: string;
  readonly untilMs: number;
}

export const reads = {
  async list(sql: Sql, { afterKeyId, limit }: KeyPage): Promise<StoredKey[]> {
    const rows = await sql.query<KeyRow>(
      `SELECT ${KEY_COLUMNS} FROM keys WHERE ${IS_TERMINAL} AND key_id > $1 ORDER BY key_id LIMIT $2`,
      [afterKeyId ?? '', limit],
    );
    return rows.map(toKey);
  },

  async find(sql: Sql, terminalId: string): Promise<StoredKey | undefined> {
    const [row] = await sql.query<KeyRow>(
      `SELECT ${KEY_COLUMNS} FROM keys WHERE ${IS_TERMINAL} AND key_id = $1`,
      [terminalId],
    );
    return row && toKey(row);
  },

  /** Everybody who is not disabled, by their names; the rights are looked at elsewhere. */
  async people(sql: Sql, terminalId: string, login: string | null = null): Promise<PersonAtTerminal[]> {
    const rows = await sql.query<PersonRow>(
      `SELECT ${KEY_COLUMNS}, people.login, CASE WHEN people.pin IS NULL THEN 0 ELSE 1 END AS has_pin,
         pin_tries.count AS tries_count, pin_tries.last_at_ms AS tries_last_at_ms
       FROM people JOIN keys ON keys.key_id = people.key_id
         LEFT JOIN pin_tries ON pin_tries.person_id = people.key_id AND pin_tries.terminal_id = $1
       WHERE keys.revoked_at_ms IS NULL AND (people.password IS NOT NULL OR people.pin IS NOT NULL)
         ${login === null ? '' : 'AND people.login = $2'}
       ORDER BY keys.name, people.login`,
      login === null ? [terminalId] : [terminalId, login],
    );
    return rows.map(({ login, hasPin, triesCount, triesLastAtMs, ...key }) => ({
      person: toKey(key),
      login,
      hasPin: hasPin === 1,
      tries: { count: triesCount ?? 0, lastAtMs: triesLastAtMs ?? 0 },
    }));
  },

  pinOf: (sql: Sql, personId: string) => secretOf(sql, personId, 'pin'),
};

export interface NewTerminalKey extends Pick<StoredKey, 'keyId' | 'name' | 'grants' | 'createdAtMs'> {
  readonly kind: Extract<PrincipalKind, 'terminal' | 'display'>;
}

export const writes = {
  async enrol(tx: Transaction, terminal: NewTerminalKey, code: NewCode): Promise<Committed<StoredKey>> {
    await requireRight(tx, (caller) => mayAdminister(caller, terminal), notAdministered);
    // No secret has this hash, so the row can be used through its session only.
    const key: NewStoredKey = { ...terminal, hash: `terminal ${terminal.keyId}`, expiresAtMs: null };
    await insertKey(tx.sql, key);
    await insertCode(tx.sql, code, tx.caller?.keyId);
    return committed(await lockTerminal(tx.sql, terminal.keyId));
  },

  async end(tx: Transaction, terminalId: string, atMs: number): Promise<Committed<StoredKey>> {
    const terminal = await lockTerminal(tx.sql, terminalId);
    await requireRight(
      tx,
      (caller) => mayAdminister(caller, terminal),
      () => notFound(terminalId),
    );
    const events = await revokeHeld(tx.sql, terminal, atMs);
    await tx.sql.run('DELETE FROM pin_tries WHERE terminal_id = $1', [terminalId]);
    await logEvents(tx, events);
    return committed(
      await lockTerminal(tx.sql, terminalId),
      { kind: 'key_ended', keyId: terminalId },
      ...eventsLogged(events),
    );
  },

  /** Counts a PIN before it is looked at, so that of many at once only a few are. */
  async takeTry(tx: Transaction, { terminalId, personId }: Place, nowMs: number): Promise<Committed<PinTry>> {
    const target = { table: 'pin_tries', onConflict: 'ON CONFLICT (terminal_id, person_id) DO NOTHING' };
    await insertRows(tx.sql, target, [{ terminalId, personId, count: 0, lastAtMs: 0 }]);
    const [before = { count: 0, lastAtMs: 0 }] = await tx.sql.query<PinTries>(
      `SELECT count, last_at_ms FROM pin_tries WHERE terminal_id = $1 AND person_id = $2 ${tx.sql.forUpdate}`,
      [terminalId, personId],
    );
    const result = pinTry(before, nowMs);
    if (result !== 'password_required' && result.waitMs === 0) {
      const tries = { count: before.count + 1, lastAtMs: nowMs };
      await updateRows(tx.sql, 'pin_tries', { terminalId, personId }, tries);
    }
    return { ...committed(result), audited: 'nothing' };
  },

  /** The PIN or the password was right. */
  async forgetTries(tx: Transaction, { terminalId, personId }: Place): Promise<Committed<null>> {
    await tx.sql.run('DELETE FROM pin_tries WHERE terminal_id = $1 AND person_id = $2', [
      terminalId,
      personId,
    ]);
    return { ...committed(null), audited: 'nothing' };
  },

  /** Of a session of a terminal. */
  async setPerson(
    tx: Transaction,
    hash: string,
    { personId, untilMs }: PersonUntil,
    checked: CheckedSecret,
  ): Promise<Committed<null>> {
    await refuseChanged(tx.sql, personId, checked);
    await updateRows(tx.sql, 'sessions', { hash }, { personId, personUntilMs: untilMs });
    return committed(null);
  },

  async lock(tx: Transaction, hash: string): Promise<Committed<null>> {
    await updateRows(tx.sql, 'sessions', { hash }, { personId: null, personUntilMs: null });
    return committed(null);
  },

  /** A terminal that was locked meanwhile stays locked. */
  async stay(tx: Transaction, hash: string, { personId, untilMs }: PersonUntil): Promise<Committed<null>> {
    await updateRows(tx.sql, 'sessions', { hash, personId }, { personUntilMs: untilMs });
    return committed(null);
  },

  /** `undefined` if the session has ended. */
  async setPin(
    tx: Transaction,
    { personId, sessionHash }: PersonInSession,
    pin: string,
  ): Promise<Committed<null | undefined>> {
    await lockKey(tx.sql, personId);
    if (!(await isSessionOf(tx.sql, personId, sessionHash))) return committed(undefined);
    await updateRows(tx.sql, 'people', { keyId: personId }, { pin });
    await tx.sql.run('DELETE FROM pin_tries WHERE person_id = $1', [personId]);
    return committed(null);
  },
};

/** Locks the terminal until the end of the transaction. */
async function lockTerminal(sql: Sql, terminalId: string): Promise<StoredKey> {
  const key = await lockKey(sql, terminalId);
  if (key !== undefined && (key.kind === 'terminal' || key.kind === 'display')) return key;
  throw notFound(terminalId);
}

const notFound = (terminalId: string): Refusal =>
  new Refusal('terminal_not_found', `there is no terminal ${quoted(terminalId)}`);

const notAdministered = (): Refusal =>
  new Refusal('forbidden', 'this key does not administer all these facilities');
