import { Refusal } from '@granary/contract/errors';
import type { PrincipalKind } from '@granary/contract/keys';
import type { PinTries } from '@granary/core/guesses';
import type { StoredKey } from '@granary/core/keys';
import { mayAdminister, TERMINALS_MAX } from '@granary/core/terminals';
import { quoted } from '@granary/core/words';
import { updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { accessChanged, type Committed, committed, eventsLogged } from './effects.ts';
import { logEvents } from './events/event-rows.ts';
import {
  insertKey,
  KEY_COLUMNS,
  type KeyPage,
  type KeyRow,
  lockAdminKeys,
  lockKey,
  type NewStoredKey,
  toKey,
} from './keys/key-rows.ts';
import { revokeHeld } from './keys/keys.ts';
import type { PersonInSession } from './people/people.ts';
import { requireOwn, requireRight } from './rights.ts';
import { type CheckedSecret, refuseChanged, secretOf } from './session/checked-secret.ts';
import { forgetPins, NO_TRIES, pinTriesAt } from './session/guesses.ts';
import { insertCode, isSessionOf, type NewCode } from './session/session-rows.ts';
import type { Transaction } from './transaction.ts';

const IS_TERMINAL = "kind IN ('terminal', 'display')";

/** The data about a person that a terminal needs. */
export interface PersonAtTerminal {
  readonly person: StoredKey;
  readonly login: string;
  readonly hasPin: boolean;
  readonly tries: PinTries;
}

interface PersonRow extends KeyRow {
  readonly login: string;
  readonly hasPin: number;
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

  /** Lists the people who are not disabled and have a password or a PIN, by their names; the caller checks their rights. */
  async people(sql: Sql, terminalId: string, login: string | null = null): Promise<PersonAtTerminal[]> {
    const rows = await sql.query<PersonRow>(
      `SELECT ${KEY_COLUMNS}, people.login, CASE WHEN people.pin IS NULL THEN 0 ELSE 1 END AS has_pin
       FROM people JOIN keys ON keys.key_id = people.key_id
       WHERE keys.revoked_at_ms IS NULL AND (people.password IS NOT NULL OR people.pin IS NOT NULL)
         ${login === null ? '' : 'AND people.login = $1'}
       ORDER BY keys.name, people.login`,
      login === null ? [] : [login],
    );
    const tries = await pinTriesAt(sql, terminalId, login === null ? null : (rows[0]?.keyId ?? ''));
    return rows.map(({ login, hasPin, ...key }) => ({
      person: toKey(key),
      login,
      hasPin: hasPin === 1,
      tries: tries.get(key.keyId) ?? NO_TRIES,
    }));
  },

  pinOf: (sql: Sql, personId: string) => secretOf(sql, personId, 'pin'),
};

export interface NewTerminalKey extends Pick<StoredKey, 'keyId' | 'name' | 'grants' | 'createdAtMs'> {
  readonly kind: Extract<PrincipalKind, 'terminal' | 'display'>;
}

export const writes = {
  async enrol(tx: Transaction, terminal: NewTerminalKey, code: NewCode): Promise<Committed<StoredKey>> {
    // Terminals are enrolled one after the other, so that their number is exact.
    await lockAdminKeys(tx.sql);
    await requireRight(tx, (caller) => mayAdminister(caller, terminal), notAdministered);
    const text = `SELECT COUNT(*) AS count FROM keys WHERE ${IS_TERMINAL} AND revoked_at_ms IS NULL`;
    const [present] = await tx.sql.query<{ count: number }>(text);
    if ((present?.count ?? 0) >= TERMINALS_MAX) {
      throw new Refusal(
        'terminal_limit_reached',
        `there are ${TERMINALS_MAX} terminals and displays already`,
      );
    }
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
    await logEvents(tx, events);
    return committed(
      await lockTerminal(tx.sql, terminalId),
      { kind: 'key_ended', keyId: terminalId },
      ...eventsLogged(events),
    );
  },

  /** Signs a person in at a terminal; `hash` is that of the session of the terminal. */
  async setPerson(
    tx: Transaction,
    hash: string,
    { personId, untilMs }: PersonUntil,
    checked: CheckedSecret,
    nowMs: number,
  ): Promise<Committed<null>> {
    await refuseChanged(tx.sql, personId, checked, nowMs);
    await updateRows(tx.sql, 'sessions', { hash }, { personId, personUntilMs: untilMs });
    return committed(null, accessChanged(hash));
  },

  async lock(tx: Transaction, hash: string): Promise<Committed<null>> {
    await updateRows(tx.sql, 'sessions', { hash }, { personId: null, personUntilMs: null });
    return committed(null, accessChanged(hash));
  },

  /** Extends the time of the person; a terminal that was locked meanwhile stays locked. */
  async stay(tx: Transaction, hash: string, { personId, untilMs }: PersonUntil): Promise<Committed<null>> {
    await updateRows(tx.sql, 'sessions', { hash, personId }, { personUntilMs: untilMs });
    return committed(null, accessChanged(hash));
  },

  /** Returns `undefined` if the session has ended. */
  async setPin(
    tx: Transaction,
    { personId, sessionHash }: PersonInSession,
    pin: string,
  ): Promise<Committed<null | undefined>> {
    await lockKey(tx.sql, personId);
    await requireOwn(tx, personId);
    if (!(await isSessionOf(tx.sql, personId, sessionHash))) return committed(undefined);
    await updateRows(tx.sql, 'people', { keyId: personId }, { pin });
    await forgetPins(tx.sql, personId);
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
