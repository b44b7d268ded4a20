import { isValidAt, type StoredCaller, type StoredKey } from '@granary/core/keys';
import type { StoredSession } from '@granary/core/session';
import type { Expiry } from '@granary/store/expiry';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import {
  CALLER_COLUMNS,
  type CallerRow,
  findCaller,
  findKeysById,
  type SecretPage,
  toCaller,
  WITH_OWNERS,
} from '../keys/key-rows.ts';

/** A session with its key. */
export interface SessionOfKey {
  readonly key: StoredCaller;
  readonly session: StoredSession;
  /** The person who has signed in at the terminal of the session. */
  readonly person: SignedInPerson | null;
}

interface SignedInPerson {
  readonly key: StoredKey;
  readonly untilMs: number;
}

export type SessionsByHash = ReadonlyMap<string, SessionOfKey>;

/** A code with which a browser can sign in once. */
export interface NewCode {
  readonly hash: string;
  readonly keyId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** A code that somebody makes for a further browser of their own. */
export interface NewOwnCode extends NewCode {
  /** The session in which the code was made, and with which it ends; `null` if the key itself was sent. */
  readonly sessionHash: string | null;
}

interface StoredCode extends NewOwnCode {
  /** The key that has made the code for another person. */
  readonly madeBy: string | null;
}

/** A code that is used up. */
export interface UsedCode {
  /** The session in which the code was made; `null` if the key itself was sent. */
  readonly madeIn: StoredSession | null;
}

interface SessionRow extends CallerRow {
  readonly hash: string;
  readonly address: string;
  readonly browser: string;
  readonly sessionCreatedAtMs: number;
  readonly sessionLastUsedAtMs: number;
  readonly sessionExpiresAtMs: number;
  readonly endsAtMs: number | null;
  readonly providerSid: string | null;
  readonly personId: string | null;
  readonly personUntilMs: number | null;
}

const SELECT_SESSION = `
     SELECT sessions.hash, sessions.address, sessions.browser, sessions.created_at_ms AS session_created_at_ms,
       sessions.last_used_at_ms AS session_last_used_at_ms, sessions.expires_at_ms AS session_expires_at_ms,
       sessions.ends_at_ms, sessions.provider_sid, sessions.person_id, sessions.person_until_ms, ${CALLER_COLUMNS}
     FROM sessions JOIN keys ON keys.key_id = sessions.key_id ${WITH_OWNERS}`;

/** Finds those of the sessions that exist, by their hashes. */
export const findSessions = async (sql: Sql, hashes: readonly string[]): Promise<SessionsByHash> =>
  await withPeople(
    sql,
    await sql.query<SessionRow>(`${SELECT_SESSION} WHERE ${sql.isOneOf('sessions.hash', '$1')}`, [
      JSON.stringify(hashes),
    ]),
  );

export const listAllSessions = async (
  sql: Sql,
  { afterHash, limit, nowMs }: SecretPage,
): Promise<SessionsByHash> =>
  await withPeople(
    sql,
    await sql.query<SessionRow>(
      `${SELECT_SESSION} WHERE sessions.hash > $1 AND sessions.expires_at_ms > $2 ORDER BY sessions.hash LIMIT $3`,
      [afterHash, nowMs, limit],
    ),
  );

/**
 * Finds the sessions with these hashes, the sessions of these keys and of the personal keys of these people, and the terminal
 * sessions where these people have signed in.
 */
export const findSessionsOf = async (sql: Sql, ids: readonly string[]): Promise<SessionsByHash> =>
  await withPeople(
    sql,
    await sql.query<SessionRow>(
      `${SELECT_SESSION} WHERE sessions.hash IN (
         SELECT hash FROM sessions WHERE ${sql.isOneOf('hash', '$1')}
         UNION SELECT hash FROM sessions WHERE ${sql.isOneOf('person_id', '$1')}
         UNION SELECT sessions.hash FROM keys JOIN sessions ON sessions.key_id = keys.key_id
           WHERE ${sql.isOneOf('keys.key_id', '$1')} OR ${sql.isOneOf('keys.owner_id', '$1')})`,
      [JSON.stringify(ids)],
    ),
  );

async function withPeople(sql: Sql, rows: readonly SessionRow[]): Promise<SessionsByHash> {
  const personIds = rows.flatMap(({ personId }) => personId ?? []);
  const people = personIds.length === 0 ? new Map() : await findKeysById(sql, personIds);
  return new Map(rows.map((row) => [row.hash, sessionOf(row, people)]));
}

function sessionOf(row: SessionRow, people: ReadonlyMap<string, StoredKey>): SessionOfKey {
  const { hash, address, browser, sessionCreatedAtMs, sessionLastUsedAtMs, sessionExpiresAtMs, ...rest } =
    row;
  const { endsAtMs, providerSid, personId, personUntilMs, ...key } = rest;
  const person = personId === null ? undefined : people.get(personId);
  return {
    key: toCaller(key),
    session: {
      hash,
      keyId: key.keyId,
      address,
      browser,
      createdAtMs: sessionCreatedAtMs,
      lastUsedAtMs: sessionLastUsedAtMs,
      expiresAtMs: sessionExpiresAtMs,
      endsAtMs,
      providerSid,
    },
    person: person === undefined ? null : { key: person, untilMs: personUntilMs ?? 0 },
  };
}

/** `begunBy` is the session that made the code with which this one begins. */
export async function insertSession(
  sql: Sql,
  session: StoredSession,
  begunBy: string | null = null,
): Promise<void> {
  await insertRows(sql, { table: 'sessions' }, [{ ...session, begunBy }]);
}

/** Lists the sessions that can still be used, the last used first. */
export async function listSessions(sql: Sql, keyId: string, nowMs: number): Promise<StoredSession[]> {
  return await sql.query<StoredSession>(
    `SELECT hash, key_id, address, browser, created_at_ms, last_used_at_ms, expires_at_ms, ends_at_ms, provider_sid FROM sessions
     WHERE key_id = $1 AND expires_at_ms > $2 ORDER BY last_used_at_ms DESC, hash`,
    [keyId, nowMs],
  );
}

/**
 * Returns whether the session still exists: a new password may have ended it while a password was compared. The caller has
 * locked the key.
 */
export async function isSessionOf(sql: Sql, keyId: string, hash: string): Promise<boolean> {
  const text = 'SELECT 1 AS found FROM sessions WHERE hash = $1 AND key_id = $2';
  return (await sql.query(text, [hash, keyId])).length === 1;
}

/** Records the time of a use, unless a later one is stored. */
export async function recordSessionUse(
  sql: Sql,
  { hash, lastUsedAtMs, expiresAtMs }: StoredSession,
): Promise<void> {
  await sql.run(
    'UPDATE sessions SET last_used_at_ms = $2, expires_at_ms = $3 WHERE hash = $1 AND last_used_at_ms < $2',
    [hash, lastUsedAtMs, expiresAtMs],
  );
}

/** Finds the key of a session; the caller locks it before the session ends. */
export async function keyOfSession(sql: Sql, hash: string): Promise<string | undefined> {
  const [row] = await sql.query<{ keyId: string }>('SELECT key_id FROM sessions WHERE hash = $1', [hash]);
  return row?.keyId;
}

/**
 * Ends sessions and their codes, and the sessions that began with these codes. The caller has locked their keys. Returns the
 * hashes of all ended sessions.
 */
async function removeWithCodes(
  sql: Sql,
  areMeant: string,
  params: readonly (string | number | null)[],
): Promise<string[]> {
  const rows = await sql.query<{ hash: string }>(
    `WITH RECURSIVE ended (hash) AS (
       SELECT sessions.hash FROM sessions WHERE ${areMeant}
       UNION SELECT sessions.hash FROM sessions JOIN ended ON sessions.begun_by = ended.hash)
     DELETE FROM sessions WHERE hash IN (SELECT hash FROM ended) RETURNING hash`,
    params,
  );
  const hashes = rows.map(({ hash }) => hash);
  if (hashes.length > 0) {
    await sql.run(`DELETE FROM sign_in_codes WHERE ${sql.isOneOf('session_hash', '$1')}`, [
      JSON.stringify(hashes),
    ]);
  }
  return hashes;
}

export const removeSession = (sql: Sql, hash: string): Promise<string[]> =>
  removeWithCodes(sql, 'hash = $1', [hash]);

/** The sessions that the identity provider has ended: the name of a session at the provider, and the person. */
export interface EndedByProvider {
  readonly sid: string | null;
  readonly keyId: string | null;
}

/**
 * If the provider names a session, the sessions of the person for which it has told no name end, too. If it names none, all
 * sessions of the person that began with the provider end.
 */
const endedByProvider = ({ sid, keyId }: EndedByProvider) =>
  sid === null
    ? { areMeant: 'key_id = $1 AND provider_sid IS NOT NULL', params: [keyId] }
    : { areMeant: "provider_sid = $1 OR (key_id = $2 AND provider_sid = '')", params: [sid, keyId] };

/** Returns the keys of the sessions that the provider has ended; the caller locks them before the sessions end. */
export async function keysOfProviderSessions(sql: Sql, ended: EndedByProvider): Promise<string[]> {
  const { areMeant, params } = endedByProvider(ended);
  const rows = await sql.query<{ keyId: string }>(
    `SELECT DISTINCT key_id FROM sessions WHERE ${areMeant}`,
    params,
  );
  return rows.map(({ keyId }) => keyId);
}

/** Ends sessions that began with the identity provider. Returns the hashes of all ended sessions. */
export async function removeProviderSessions(sql: Sql, ended: EndedByProvider): Promise<string[]> {
  const { areMeant, params } = endedByProvider(ended);
  return await removeWithCodes(sql, areMeant, params);
}

/** Keeps the sessions that were used last and ends the others; returns the hashes of the ended ones. */
export const removeSessionsBeyond = (sql: Sql, keyId: string, keptMax: number): Promise<string[]> =>
  removeWithCodes(
    sql,
    `key_id = $1 AND hash NOT IN (
       SELECT hash FROM sessions WHERE key_id = $1 ORDER BY last_used_at_ms DESC, hash LIMIT $2)`,
    [keyId, keptMax],
  );

/**
 * Ends all sessions of the key but one, even the session from which that one began, and removes all codes that the key has made
 * for itself. Returns the hashes of the ended sessions.
 */
export async function removeSessionsBut(sql: Sql, keyId: string, keptHash: string): Promise<string[]> {
  const rows = await sql.query<{ hash: string }>(
    'DELETE FROM sessions WHERE key_id = $1 AND hash <> $2 RETURNING hash',
    [keyId, keptHash],
  );
  // Links that others have made for the person stay.
  await sql.run('DELETE FROM sign_in_codes WHERE key_id = $1 AND made_by IS NULL', [keyId]);
  return rows.map(({ hash }) => hash);
}

/** Finds those of the codes that exist, by their hashes. */
export async function findCodes(
  sql: Sql,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, StoredCode>> {
  const rows = await sql.query<StoredCode>(
    `SELECT hash, key_id, made_by, session_hash, created_at_ms, expires_at_ms FROM sign_in_codes WHERE ${sql.isOneOf('hash', '$1')}`,
    [JSON.stringify(hashes)],
  );
  return new Map(rows.map((code) => [code.hash, code]));
}

export async function insertCode(
  sql: Sql,
  code: NewCode | NewOwnCode,
  madeBy: string | null = null,
): Promise<void> {
  const { hash, keyId, createdAtMs, expiresAtMs } = code;
  const sessionHash = 'sessionHash' in code ? code.sessionHash : null;
  const row = { hash, keyId, madeBy, sessionHash, createdAtMs, expiresAtMs };
  await insertRows(sql, { table: 'sign_in_codes' }, [row]);
}

/** Returns whether the code was there: if two requests use it at the same moment, only one succeeds. */
async function removeCode(sql: Sql, hash: string): Promise<boolean> {
  return (await sql.run('DELETE FROM sign_in_codes WHERE hash = $1', [hash])) === 1;
}

/**
 * Uses a code up and returns it; `null` if it could not be used now. The key that made a link for somebody else must still
 * have the right to do so, and the session that made a code must not have ended. The caller has locked the key.
 */
export async function useUpCode(
  sql: Sql,
  codeHash: string,
  nowMs: number,
  mayLetIn: (maker: StoredCaller) => boolean,
): Promise<UsedCode | null> {
  const code = (await findCodes(sql, [codeHash])).get(codeHash);
  if (code === undefined || nowMs >= code.expiresAtMs) return null;
  const { madeBy, sessionHash } = code;
  if (madeBy !== null) {
    const maker = await findCaller(sql, madeBy);
    if (maker === undefined || !isValidAt(maker, nowMs) || !mayLetIn(maker)) return null;
  }
  const madeIn = sessionHash === null ? null : await findOpenSession(sql, sessionHash, nowMs);
  return madeIn !== undefined && (await removeCode(sql, codeHash)) ? { madeIn } : null;
}

/** Finds a session that has neither ended nor expired. */
export async function findOpenSession(
  sql: Sql,
  hash: string,
  nowMs: number,
): Promise<StoredSession | undefined> {
  const found = (await findSessions(sql, [hash])).get(hash);
  return found !== undefined && nowMs < found.session.expiresAtMs ? found.session : undefined;
}

export async function removeCodesBeyond(sql: Sql, keyId: string, keptMax: number): Promise<void> {
  await sql.run(
    `DELETE FROM sign_in_codes WHERE key_id = $1 AND hash NOT IN (
       SELECT hash FROM sign_in_codes WHERE key_id = $1 ORDER BY created_at_ms DESC, hash LIMIT $2)`,
    [keyId, keptMax],
  );
}

/** Removes a limited number of expired sessions, codes, marks of one-time uses and confirmations, and returns how many. */
export async function expireSignIns(sql: Sql, { beforeMs, rowsMax }: Expiry): Promise<number> {
  let removed = 0;
  // A browser whose session has expired continues to receive Web Push; a browser whose session was ended does not.
  await sql.run(
    `UPDATE push_subscriptions SET session_hash = NULL
     WHERE subscription_id IN (
       SELECT subscription_id FROM push_subscriptions
       WHERE session_hash IN (SELECT hash FROM sessions WHERE expires_at_ms <= $1)
       ORDER BY subscription_id ${sql.forUpdate})`,
    [beforeMs],
  );
  for (const table of ['sessions', 'sign_in_codes', 'sign_on_uses', 'confirmations']) {
    removed += await sql.run(
      `DELETE FROM ${table} WHERE hash IN (
         SELECT hash FROM ${table} WHERE expires_at_ms <= $1
         ORDER BY expires_at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipLocked})`,
      [beforeMs, rowsMax],
    );
  }
  return removed;
}
