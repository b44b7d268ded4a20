import type { PrincipalKind } from '@granary/contract/keys';
import { isValidAt, type StoredCaller } from '@granary/core/keys';
import { mayMakeLinkFor, type UsedFactor } from '@granary/core/people';
import {
  CODES_PER_KEY_MAX,
  limitsOfCode,
  newSession,
  SESSIONS_PER_KEY_MAX,
  type StoredSession,
  sessionEndMs,
} from '@granary/core/session';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { accessChanged, type Committed, committed, type Effect } from '../effects.ts';
import { findCaller, leaveTerminals, lockKey, lockKeys } from '../keys/key-rows.ts';
import { requireOwn } from '../rights.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { secretOf } from './checked-secret.ts';
import { forgetPlaces, learnPlace } from './guesses.ts';
import { removeFactors, useUpFactor } from './second-factor-rows.ts';
import {
  expireSignIns,
  findCodes,
  findSessions,
  findSessionsOf,
  insertCode,
  insertSession,
  isSessionOf,
  keyOfSession,
  listAllSessions,
  listSessions,
  type NewOwnCode,
  recordSessionUse,
  removeCodesBeyond,
  removeSession,
  removeSessionsBeyond,
  removeSessionsBut,
  type SessionOfKey,
  useUpCode,
} from './session-rows.ts';
import { findChallengeKey, insertChallengeKey, type UsedChallenge, useUpChallenge } from './used-once.ts';

interface SignIn {
  readonly keyId: string;
  /** The hash of the code that is used up; `null` if the key itself was given. */
  readonly codeHash: string | null;
  /** The hash of the new cookie. */
  readonly hash: string;
  /** The hash of the former cookie of the browser, whose session ends; `null` if it had none. */
  readonly formerHash: string | null;
  /** The address of the browser and the name that it sends. */
  readonly from?: Pick<StoredSession, 'address' | 'browser'>;
  /** The network of the browser. */
  readonly place?: string;
  /** The data of a sign-in with the identity provider. */
  readonly provider?: Pick<StoredSession, 'endsAtMs' | 'providerSid'>;
  /** The challenge that a passkey has signed; it is used up. */
  readonly challenge?: UsedChallenge;
  /** The second factor, which is used up. */
  readonly factor?: UsedFactor;
  /** The stored hash, in PHC form, with which the given password was compared. */
  readonly checkedPassword?: string | null;
  /** The hash, in PHC form, of the password that a person chooses with the code of an invitation. */
  readonly password?: string;
  readonly nowMs: number;
}

interface PasswordChange {
  readonly keyId: string;
  readonly keptHash: string;
  /** The hash of the new password in PHC form. */
  readonly password: string;
}

export const reads = {
  find: (sql: Sql, hashes: readonly string[]) => findSessions(sql, hashes),
  all: listAllSessions,
  allOf: findSessionsOf,
  list: (sql: Sql, keyId: string, nowMs: number) => listSessions(sql, keyId, nowMs),
  challengeKey: findChallengeKey,

  /** Finds the keys of codes that can still be used, by the hashes of the codes. */
  async keysOfCodes(
    sql: Sql,
    hashes: readonly string[],
    nowMs: number,
  ): Promise<ReadonlyMap<string, StoredCaller>> {
    const keys = new Map<string, StoredCaller>();
    for (const { hash, keyId, expiresAtMs } of (await findCodes(sql, hashes)).values()) {
      const key = nowMs < expiresAtMs ? await findCaller(sql, keyId) : undefined;
      if (key !== undefined) keys.set(hash, key);
    }
    return keys;
  },
};

export const expiry = (_kept: object, nowMs: number): Pick<Expiry, 'beforeMs'> => ({ beforeMs: nowMs });

export const writes = {
  /**
   * Creates a session; returns `undefined` if the key has ended, if the code, challenge or second factor cannot be
   * used, or if the password was changed or the identity removed meanwhile.
   */
  async create(
    tx: Transaction,
    {
      keyId,
      codeHash,
      hash,
      formerHash,
      from,
      place,
      provider,
      challenge,
      factor,
      checkedPassword,
      password,
      nowMs,
    }: SignIn,
  ): Promise<Committed<SessionOfKey | undefined>> {
    // Everything about the sessions of a key happens while the key is locked, so their number is exact.
    const formerKeyId = formerHash === null ? undefined : await keyOfSession(tx.sql, formerHash);
    await lockKeys(tx.sql, formerKeyId === undefined ? [keyId] : [keyId, formerKeyId]);
    const key = await findCaller(tx.sql, keyId);
    if (key === undefined || !isValidAt(key, nowMs)) return committed(undefined);
    if (provider !== undefined && !(await hasIdentity(tx.sql, keyId))) return committed(undefined);
    // While the password was compared, which takes a while, the person may have been disabled or have chosen another password.
    if (checkedPassword !== undefined && (await secretOf(tx.sql, keyId, 'password')) !== checkedPassword)
      return committed(undefined);
    const mayLetIn = (maker: StoredCaller): boolean => mayMakeLinkFor(maker, key);
    const code = codeHash === null ? null : await useUpCode(tx.sql, codeHash, nowMs, mayLetIn);
    if (codeHash !== null && code === null) return committed(undefined);
    if (challenge !== undefined && !(await useUpChallenge(tx.sql, challenge))) return committed(undefined);
    if (factor !== undefined && !(await useUpFactor(tx.sql, keyId, factor, nowMs)))
      return committed(undefined);
    if (password !== undefined) {
      await tx.sql.run('UPDATE people SET password = $2 WHERE key_id = $1', [keyId, password]);
      // The person may have lost the device that shows the codes.
      await removeFactors(tx.sql, keyId);
      await forgetPlaces(tx.sql, keyId);
      await leaveTerminals(tx.sql, keyId);
    }
    // A key, or the code of a link, does not prove who the person is.
    const isWhole = [factor, checkedPassword, password, provider].some((given) => given !== undefined);
    if (isWhole && place !== undefined) await learnPlace(tx.sql, { personId: keyId, place }, nowMs);
    // The person may choose a new password because somebody else knows the former one.
    const keptMax = password === undefined ? SESSIONS_PER_KEY_MAX - 1 : 0;
    const ended = await removeSessionsBeyond(tx.sql, keyId, keptMax);
    if (formerHash !== null) ended.push(...(await removeSession(tx.sql, formerHash)));
    const madeIn = code?.madeIn ?? null;
    const limits = madeIn === null ? provider : limitsOfCode(madeIn);
    const session = newSession(hash, { keyId, kind: key.kind }, nowMs, from, limits);
    await insertSession(tx.sql, session, madeIn?.hash);
    return committed(
      { key, session, person: null },
      // With a new password the person is not signed in at any terminal.
      accessChanged(hash, ...(password === undefined ? [] : [keyId])),
      ...(ended.length === 0 ? [] : [sessionsEnded(...ended)]),
    );
  },

  /** Ends a session. A repetition changes nothing, and a caller without a session has none to end. */
  async end(tx: Transaction, hash: string | null): Promise<Committed<null>> {
    if (hash === null) return committed(null);
    // The lock ensures that no code of the session is used while the session ends.
    const keyId = (await keyOfSession(tx.sql, hash)) ?? '';
    await lockKeys(tx.sql, [keyId]);
    // A caller may end its own session even if that has expired meanwhile.
    if (hash !== tx.caller?.sessionHash) await requireOwn(tx, keyId);
    return committed(null, sessionsEnded(hash, ...(await removeSession(tx.sql, hash))));
  },

  /** Ends all sessions of the key but this one; `keptHash` is `null` if the key itself was sent. */
  async endOthers(tx: Transaction, keyId: string, keptHash: string | null): Promise<Committed<null>> {
    await lockKey(tx.sql, keyId);
    await requireOwn(tx, keyId);
    return committed(null, sessionsEnded(...(await removeSessionsBut(tx.sql, keyId, keptHash ?? ''))));
  },

  /**
   * Changes the password. Only this session stays, because somebody else may know the former password. Returns `undefined` if
   * it has ended.
   */
  async changePassword(tx: Transaction, change: PasswordChange): Promise<Committed<null | undefined>> {
    const { keyId, keptHash, password } = change;
    await lockKey(tx.sql, keyId);
    await requireOwn(tx, keyId);
    if (!(await isSessionOf(tx.sql, keyId, keptHash))) return committed(undefined);
    await tx.sql.run('UPDATE people SET password = $2 WHERE key_id = $1', [keyId, password]);
    await removeCodesBeyond(tx.sql, keyId, 0);
    await leaveTerminals(tx.sql, keyId);
    return committed(
      null,
      accessChanged(keyId),
      sessionsEnded(...(await removeSessionsBut(tx.sql, keyId, keptHash))),
    );
  },

  async createCode(tx: Transaction, code: NewOwnCode): Promise<Committed<NewOwnCode>> {
    await lockKey(tx.sql, code.keyId);
    await requireOwn(tx, code.keyId);
    await removeCodesBeyond(tx.sql, code.keyId, CODES_PER_KEY_MAX - 1);
    await insertCode(tx.sql, code);
    return committed(code);
  },

  async keepChallengeKey(tx: Transaction, secret: string): Promise<Committed<null>> {
    await insertChallengeKey(tx.sql, secret);
    return { ...committed(null), audited: 'nothing' };
  },

  async recordUse(
    tx: Transaction,
    session: StoredSession,
    kind: PrincipalKind,
    nowMs: number,
  ): Promise<Committed<void>> {
    const expiresAtMs = sessionEndMs(kind, session.createdAtMs, nowMs, session.endsAtMs);
    await recordSessionUse(tx.sql, { ...session, lastUsedAtMs: nowMs, expiresAtMs });
    return committed(undefined);
  },

  expire: longWrite(async (tx, expiry: Expiry) => committed(await expireSignIns(tx.sql, expiry))),
};

/** Returns whether the person has an identity; it may have been removed since the provider sent the person. */
async function hasIdentity(sql: Sql, keyId: string): Promise<boolean> {
  const rows = await sql.query('SELECT 1 AS found FROM identities WHERE key_id = $1 LIMIT 1', [keyId]);
  return rows.length > 0;
}

export const sessionsEnded = (...hashes: readonly string[]): Effect => ({ kind: 'sessions_ended', hashes });
