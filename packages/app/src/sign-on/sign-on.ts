import { isDeepStrictEqual } from 'node:util';
import type { SignInPolicy, SignInResult } from '@granary/contract/sign-on';
import { type Grant, isValidAt, type StoredKey } from '@granary/core/keys';
import { mayMakeLinkFor } from '@granary/core/people';
import {
  type ClaimedGroups,
  type ClaimedPerson,
  grantsOfGroups,
  localGrants,
  policyOf,
  type StoredSignIn,
} from '@granary/core/sign-on';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, type Effect } from '../effects.ts';
import {
  accessColumns,
  insertKey,
  KEY_COLUMNS,
  type KeyRow,
  lockAdminKeys,
  lockKey,
  lockKeys,
  toKey,
} from '../keys/key-rows.ts';
import { refuseLimited } from '../rights.ts';
import { sessionsEnded } from '../session/session.ts';
import {
  findOpenSession,
  keysOfProviderSessions,
  removeProviderSessions,
  removeSessionsBeyond,
  useUpCode,
} from '../session/session-rows.ts';
import { isFirstUse } from '../session/used-once.ts';
import type { Transaction } from '../transaction.ts';

const POLICY_NO = 1;
/** The limit of the people with whom a new policy is compared. */
const KNOWN_PEOPLE_MAX = 10_000;
const SIGN_INS_KEPT = 1_000;
const GROUPS_SHOWN_MAX = 200;

/** A person who has signed in with the identity provider before. */
export interface KnownPerson {
  readonly keyId: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  /** The groups that the provider sent at the last sign-in. */
  readonly groups: readonly string[];
}

/** The issuer and the subject identify a person only together. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** The person to whom the identity shall belong from now on. */
export interface IdentityLink {
  readonly keyId: string;
  /** The hash of the invitation that is used up; `null` if the person has signed in here. */
  readonly codeHash: string | null;
  /** The session in which the person asked for the link, which must not have ended meanwhile; `null` with an invitation. */
  readonly sessionHash: string | null;
}

/** Somebody whom the identity provider has sent. */
export interface Arrival extends Identity {
  readonly person: ClaimedPerson;
  readonly claimed: ClaimedGroups;
  readonly adminGroup: string | null;
  readonly link: IdentityLink | null;
  /** The id of a person who is not known yet; `distinction` is added to the login name if somebody else has it already. */
  readonly newKeyId: string;
  readonly distinction: string;
  readonly address: string;
  readonly nowMs: number;
}

/** The person, or the reason why nobody is let in. */
export type ArrivalOutcome =
  | { readonly kind: 'known'; readonly key: StoredKey; readonly sessionHours: number }
  | { readonly kind: 'refused'; readonly result: Exclude<SignInResult, 'signed_in'> };

export async function readPolicy(sql: Sql): Promise<SignInPolicy> {
  const [row] = await sql.query<{ body: string }>('SELECT body FROM sign_in_policy WHERE policy_no = $1', [
    POLICY_NO,
  ]);
  return policyOf(row === undefined ? {} : JSON.parse(row.body));
}

export async function savePolicy(sql: Sql, policy: SignInPolicy): Promise<void> {
  const onConflict = 'ON CONFLICT (policy_no) DO UPDATE SET body = excluded.body';
  const row = { policyNo: POLICY_NO, body: JSON.stringify(policy) };
  await insertRows(sql, { table: 'sign_in_policy', onConflict }, [row]);
}

async function findPersonId(sql: Sql, { issuer, subject }: Identity): Promise<string | null> {
  const [row] = await sql.query<{ keyId: string }>(
    'SELECT key_id FROM identities WHERE issuer = $1 AND subject = $2',
    [issuer, subject],
  );
  return row?.keyId ?? null;
}

export const reads = {
  policy: readPolicy,

  /** Lists the people with an identity who are not disabled. */
  async knownPeople(sql: Sql): Promise<KnownPerson[]> {
    const rows = await sql.query<KeyRow & { readonly groupNames: string }>(
      `SELECT ${KEY_COLUMNS}, identities.group_names FROM identities JOIN keys ON keys.key_id = identities.key_id
       WHERE keys.revoked_at_ms IS NULL ORDER BY keys.key_id LIMIT $1`,
      [KNOWN_PEOPLE_MAX],
    );
    return rows.map(({ groupNames, ...row }) => {
      const { keyId, name, grants } = toKey(row);
      return { keyId, name, grants, groups: JSON.parse(groupNames) };
    });
  },

  /** Lists the sign-ins, newest first. */
  async signIns(sql: Sql, beforeNo: number | null, limit: number): Promise<StoredSignIn[]> {
    const rows = await sql.query<{ signInNo: number; atMs: number; body: string }>(
      `SELECT sign_in_no, at_ms, body FROM sign_ins WHERE sign_in_no < $1 ORDER BY sign_in_no DESC LIMIT $2`,
      [beforeNo ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return rows.map(({ body, ...row }) => ({ ...row, ...JSON.parse(body) }));
  },
};

export const writes = {
  async putPolicy(tx: Transaction, policy: SignInPolicy): Promise<Committed<SignInPolicy>> {
    await savePolicy(tx.sql, policy);
    await refuseLimited(tx, 'change the policy of signing in');
    return committed(policy);
  },

  /** Returns whether this is the first use: if two requests use the same hash at the same moment, only one succeeds. */
  async use(tx: Transaction, hash: string, expiresAtMs: number): Promise<Committed<boolean>> {
    return { ...committed(await isFirstUse(tx.sql, hash, expiresAtMs)), audited: 'nothing' };
  },

  /** Finds or makes the person, and replaces what the identity provider has granted. */
  async arrive(tx: Transaction, arrival: Arrival): Promise<Committed<ArrivalOutcome>> {
    const { sql } = tx;
    const { claimed, nowMs } = arrival;
    const policy = await readPolicy(sql);
    const granted = claimed.areLeftOut ? [] : grantsOfGroups(policy, claimed.groups, arrival.adminGroup);
    const found = await findOrAdd(sql, arrival, granted);
    const effects: Effect[] = [];
    let outcome: ArrivalOutcome;
    if ('refused' in found) outcome = { kind: 'refused', result: found.refused };
    else {
      const { key } = found;
      const grants = [...localGrants(key.grants), ...granted];
      const groupNames = JSON.stringify(claimed.groups);
      const { issuer, subject } = arrival;
      await updateRows(sql, 'identities', { issuer, subject }, { groupNames, lastSignInAtMs: nowMs });
      if (!isDeepStrictEqual(grants, key.grants)) {
        await updateRows(sql, 'keys', { keyId: key.keyId }, accessColumns({ grants }));
        // The cached rights of the person are the former ones.
        effects.push({ kind: 'key_ended', keyId: key.keyId });
      }
      outcome =
        grants.length === 0
          ? { kind: 'refused', result: withoutRole(claimed) }
          : { kind: 'known', key: { ...key, grants }, sessionHours: policy.session_hours };
      // A person without any rights does not stay signed in elsewhere.
      const ended = grants.length === 0 ? await removeSessionsBeyond(sql, key.keyId, 0) : [];
      if (ended.length > 0) effects.push(sessionsEnded(...ended));
    }
    await noteSignIn(sql, nowMs, {
      result: outcome.kind === 'known' ? 'signed_in' : outcome.result,
      reason: null,
      person_id: 'key' in found ? found.key.keyId : await findPersonId(sql, arrival),
      name: arrival.person.name,
      issuer: arrival.issuer,
      subject: arrival.subject,
      groups: claimed.groups.slice(0, GROUPS_SHOWN_MAX),
      address: arrival.address,
    });
    // This write has no audit entry: the session that follows, or the refusal, has one.
    return { ...committed(outcome, ...effects), audited: 'nothing' };
  },

  /** Records that the data of the identity provider was not valid. */
  async noteInvalid(
    tx: Transaction,
    {
      issuer,
      reason,
      address,
      nowMs,
    }: Pick<Arrival, 'issuer' | 'address' | 'nowMs'> & { readonly reason: string },
  ): Promise<Committed<null>> {
    const nobody = { person_id: null, name: null, subject: null, groups: [] };
    await noteSignIn(tx.sql, nowMs, { result: 'not_valid', reason, issuer, address, ...nobody });
    return { ...committed(null), audited: 'nothing' };
  },

  /** Ends the sessions that the identity provider has ended, and returns how many. A repeated message changes nothing. */
  async logout(
    tx: Transaction,
    ended: { readonly issuer: string; readonly subject: string | null; readonly sid: string | null },
    message: { readonly hash: string; readonly expiresAtMs: number },
  ): Promise<Committed<number>> {
    const { issuer, subject, sid } = ended;
    const keyId = subject === null ? null : await findPersonId(tx.sql, { issuer, subject });
    // The lock ensures that no code of one of these sessions is used while they end.
    await lockKeys(tx.sql, await keysOfProviderSessions(tx.sql, { sid, keyId }));
    if (!(await isFirstUse(tx.sql, message.hash, message.expiresAtMs))) return committed(0);
    const hashes = await removeProviderSessions(tx.sql, { sid, keyId });
    return committed(hashes.length, ...(hashes.length === 0 ? [] : [sessionsEnded(...hashes)]));
  },
};

const withoutRole = ({ areLeftOut }: ClaimedGroups): 'groups_left_out' | 'no_role' =>
  areLeftOut ? 'groups_left_out' : 'no_role';

type Found = { readonly key: StoredKey } | { readonly refused: Exclude<SignInResult, 'signed_in'> };

async function findOrAdd(sql: Sql, arrival: Arrival, granted: readonly Grant[]): Promise<Found> {
  const { link, nowMs } = arrival;
  let knownId = await findPersonId(sql, arrival);
  if (knownId === null) {
    // Two first sign-ins of one person at the same moment create one person.
    await lockAdminKeys(sql);
    knownId = await findPersonId(sql, arrival);
  }
  if (link !== null && knownId !== null && knownId !== link.keyId) return { refused: 'other_person' };
  if (link === null && knownId === null) {
    return granted.length === 0
      ? { refused: withoutRole(arrival.claimed) }
      : { key: await addPerson(sql, arrival) };
  }
  const key = await lockKey(sql, link?.keyId ?? knownId ?? '');
  if (key === undefined || !isValidAt(key, nowMs)) return { refused: 'disabled' };
  // The identity was unlinked while this transaction waited for the key, so it belongs to nobody now.
  if (link === null && (await findPersonId(sql, arrival)) !== key.keyId) {
    return await findOrAdd(sql, arrival, granted);
  }
  if (link !== null) {
    if (!(await isInForce(sql, link, key, nowMs))) return { refused: 'link_ended' };
    if (knownId === null) await addIdentity(sql, arrival, key.keyId);
  }
  return { key };
}

/** Returns whether the link is still valid; an invitation is used up. */
async function isInForce(
  sql: Sql,
  { codeHash, sessionHash }: IdentityLink,
  person: StoredKey,
  nowMs: number,
): Promise<boolean> {
  if (codeHash !== null)
    return (await useUpCode(sql, codeHash, nowMs, (maker) => mayMakeLinkFor(maker, person))) !== null;
  const session = sessionHash === null ? undefined : await findOpenSession(sql, sessionHash, nowMs);
  return session?.keyId === person.keyId;
}

/** Adds a person without any rights. */
async function addPerson(sql: Sql, arrival: Arrival): Promise<StoredKey> {
  const { newKeyId: keyId, person, distinction, nowMs } = arrival;
  // No secret has this hash, so the row can be used through sessions only.
  const key = { keyId, hash: `person ${keyId}`, kind: 'person' as const, name: person.name, grants: [] };
  await insertKey(sql, { ...key, createdAtMs: nowMs, expiresAtMs: null });
  const target = { table: 'people', onConflict: 'ON CONFLICT (login) DO NOTHING' };
  for (const login of [person.login, `${person.login}-${distinction}`]) {
    const row = { keyId, login, email: person.email, password: null };
    if ((await insertRows(sql, target, [row])) === 0) continue;
    await addIdentity(sql, arrival, keyId);
    const added = await lockKey(sql, keyId);
    if (added !== undefined) return added;
  }
  throw new Error(`there is no free name for signing in like ${person.login}`);
}

async function addIdentity(sql: Sql, { issuer, subject, nowMs }: Arrival, keyId: string): Promise<void> {
  const row = { issuer, subject, keyId, groupNames: '[]', lastSignInAtMs: nowMs };
  await insertRows(sql, { table: 'identities' }, [row]);
}

async function noteSignIn(
  sql: Sql,
  atMs: number,
  signIn: Omit<StoredSignIn, 'signInNo' | 'atMs'>,
): Promise<void> {
  await insertRows(sql, { table: 'sign_ins' }, [{ atMs, body: JSON.stringify(signIn) }]);
  await sql.run('DELETE FROM sign_ins WHERE sign_in_no <= (SELECT MAX(sign_in_no) FROM sign_ins) - $1', [
    SIGN_INS_KEPT,
  ]);
}
