import { Refusal } from '@granary/contract/errors';
import type { PersonPatch } from '@granary/contract/people';
import type { Grant } from '@granary/core/keys';
import {
  isWithin,
  mayManage,
  PASSKEYS_MAX,
  type StoredPasskey,
  type StoredPerson,
  type StoredSecondFactor,
} from '@granary/core/people';
import { localGrants } from '@granary/core/sign-on';
import { quoted } from '@granary/core/words';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import {
  accessColumns,
  insertKey,
  KEY_COLUMNS,
  type KeyPage,
  type KeyRow,
  listPersonalKeys,
  type NewStoredKey,
  saveKey,
  toKey,
} from '../keys/key-rows.ts';
import { revokeHeld } from '../keys/keys.ts';
import { requireOwn, requireRight } from '../rights.ts';
import {
  findPasskey,
  insertPasskey,
  listPasskeys,
  removeFactors,
  removePasskey,
  setSecondFactor,
} from '../session/second-factor-rows.ts';
import { sessionsEnded } from '../session/session.ts';
import {
  insertCode,
  isSessionOf,
  type NewCode,
  removeCodesBeyond,
  removeProviderSessions,
} from '../session/session-rows.ts';
import { type UsedChallenge, useUpChallenge } from '../session/used-once.ts';
import type { Transaction } from '../transaction.ts';

interface PersonRow extends KeyRow {
  readonly login: string;
  readonly email: string | null;
  readonly password: string | null;
  readonly identities: number;
  readonly totpSecret: string | null;
  readonly totpStep: number | null;
  readonly recoveryCodes: string | null;
}

/** A person with the data that a sign-in with a password is compared with. */
export interface PersonWithPassword {
  readonly person: StoredPerson;
  /** The hash of the password in PHC form; `null` until the person has chosen one. */
  readonly password: string | null;
  readonly secondFactor: StoredSecondFactor | null;
}

const SELECT = `SELECT ${KEY_COLUMNS}, people.login, people.email, people.password,
    people.totp_secret, people.totp_step, people.recovery_codes,
    (SELECT COUNT(*) FROM identities WHERE identities.key_id = people.key_id) AS identities
  FROM people JOIN keys ON keys.key_id = people.key_id`;

function toPerson(row: PersonRow): PersonWithPassword {
  const { login, email, password, totpSecret, totpStep, recoveryCodes, identities, ...key } = row;
  const has = { hasPassword: password !== null, hasIdentity: identities > 0 };
  const recoveryHashes: string[] = JSON.parse(recoveryCodes ?? '[]');
  const secondFactor =
    totpSecret === null ? null : { secret: totpSecret, lastStep: totpStep ?? 0, recoveryHashes };
  const recoveryCodesLeft = secondFactor === null ? null : recoveryHashes.length;
  return {
    person: { ...toKey(key), login, email, ...has, recoveryCodesLeft },
    password,
    secondFactor,
  };
}

async function findWith(sql: Sql, condition: string, value: string): Promise<PersonWithPassword | undefined> {
  const [row] = await sql.query<PersonRow>(`${SELECT} WHERE ${condition}`, [value]);
  return row && toPerson(row);
}

export const reads = {
  find: async (sql: Sql, personId: string) => (await findWith(sql, 'people.key_id = $1', personId))?.person,
  findByLogin: (sql: Sql, login: string) => findWith(sql, 'people.login = $1', login),
  findPasskey: (sql: Sql, credentialId: string) => findPasskey(sql, credentialId),
  passkeys: (sql: Sql, personId: string) => listPasskeys(sql, personId),
  async list(sql: Sql, { afterKeyId, limit }: KeyPage): Promise<StoredPerson[]> {
    const rows = await sql.query<PersonRow>(
      `${SELECT} WHERE people.key_id > $1 ORDER BY people.key_id LIMIT $2`,
      [afterKeyId ?? '', limit],
    );
    return rows.map((row) => toPerson(row).person);
  },
};

export interface NewStoredPerson {
  readonly keyId: string;
  readonly login: string;
  readonly name: string;
  readonly email: string | null;
  readonly grants: readonly Grant[];
  readonly createdAtMs: number;
}

/** A person who changes their own data, with the session in which they do it. */
export interface PersonInSession {
  readonly personId: string;
  readonly sessionHash: string;
}

export interface PersonChange extends Pick<PersonPatch, 'name' | 'email'> {
  readonly grants?: readonly Grant[];
}

export const writes = {
  async invite(
    tx: Transaction,
    { login, email, ...person }: NewStoredPerson,
    code: NewCode,
  ): Promise<Committed<StoredPerson>> {
    await requireRight(tx, (caller) => mayManage(caller, person.grants), moreThanOwn);
    const key: NewStoredKey = {
      ...person,
      kind: 'person',
      // No secret has this hash, so the row can be used through sessions only.
      hash: `person ${person.keyId}`,
      expiresAtMs: null,
    };
    await insertKey(tx.sql, key);
    const target = { table: 'people', onConflict: 'ON CONFLICT (login) DO NOTHING' };
    const row = { keyId: person.keyId, login, email, password: null };
    if ((await insertRows(tx.sql, target, [row])) !== 1) {
      throw new Refusal('person_exists', `there is a person ${quoted(login)} already`);
    }
    await insertCode(tx.sql, code, tx.caller?.keyId);
    return committed(await lock(tx.sql, person.keyId));
  },

  async change(tx: Transaction, personId: string, change: PersonChange): Promise<Committed<StoredPerson>> {
    const before = await lockManaged(tx, personId);
    const { grants: wanted = null, name = before.name, email = before.email } = change;
    if (wanted !== null) await requireRight(tx, (caller) => mayManage(caller, wanted), moreThanOwn);
    const ofProvider = before.grants.filter(({ source }) => source === 'oidc');
    const grants = wanted === null ? before.grants : [...wanted, ...ofProvider];
    // Links end if rights are added: their makers were only allowed to give the former rights, and may have kept the links.
    if (!isWithin(before, grants)) await removeCodesBeyond(tx.sql, personId, 0);
    await updateRows(tx.sql, 'people', { keyId: personId }, { email });
    await updateRows(tx.sql, 'keys', { keyId: personId }, { name, ...accessColumns({ grants }) });
    // The cached rights of the person are the former ones.
    return committed(await lock(tx.sql, personId), { kind: 'key_ended', keyId: personId });
  },

  /** Lets a disabled person in again, with this code. Earlier links end. */
  async renew(tx: Transaction, personId: string, code: NewCode): Promise<Committed<StoredPerson>> {
    const before = await lockManaged(tx, personId);
    await tx.sql.run('DELETE FROM sign_in_codes WHERE key_id = $1', [personId]);
    await insertCode(tx.sql, code, tx.caller?.keyId);
    if (before.revokedAtMs !== null) await saveKey(tx.sql, { ...before, revokedAtMs: null });
    return committed(await lock(tx.sql, personId));
  },

  /** Returns `undefined` if the session has ended. */
  async changeSecondFactor(
    tx: Transaction,
    { personId, sessionHash }: PersonInSession,
    factor: StoredSecondFactor | null,
  ): Promise<Committed<StoredPerson | undefined>> {
    await lock(tx.sql, personId);
    await requireOwn(tx, personId);
    if (!(await isSessionOf(tx.sql, personId, sessionHash))) return committed(undefined);
    await setSecondFactor(tx.sql, personId, factor);
    return committed(await lock(tx.sql, personId));
  },

  /**
   * Uses the challenge up. Returns `undefined` if that was done before, if somebody has the passkey already, or if the session
   * has ended.
   */
  async addPasskey(
    tx: Transaction,
    passkey: StoredPasskey,
    { challenge, sessionHash }: { readonly challenge: UsedChallenge; readonly sessionHash: string },
  ): Promise<Committed<StoredPerson | undefined>> {
    const { keyId } = passkey;
    const person = await lock(tx.sql, keyId);
    await requireOwn(tx, keyId);
    if ((await listPasskeys(tx.sql, keyId)).length >= PASSKEYS_MAX) {
      throw new Refusal('key_limit_reached', `a person has at most ${PASSKEYS_MAX} passkeys`);
    }
    const isNew =
      (await isSessionOf(tx.sql, keyId, sessionHash)) &&
      (await useUpChallenge(tx.sql, challenge)) &&
      (await insertPasskey(tx.sql, passkey));
    return committed(isNew ? person : undefined);
  },

  /** Returns `undefined` if the session has ended. */
  async removePasskey(
    tx: Transaction,
    { personId, sessionHash }: PersonInSession,
    credentialId: string,
  ): Promise<Committed<StoredPerson | undefined>> {
    const person = await lock(tx.sql, personId);
    await requireOwn(tx, personId);
    if (!(await isSessionOf(tx.sql, personId, sessionHash))) return committed(undefined);
    await removePasskey(tx.sql, personId, credentialId);
    return committed(person);
  },

  async unlink(tx: Transaction, personId: string): Promise<Committed<StoredPerson>> {
    return await unlinkHeld(tx.sql, await lockManaged(tx, personId));
  },

  /** Returns `undefined` if the session has ended. A person who cannot sign in otherwise stays linked. */
  async unlinkOwn(
    tx: Transaction,
    { personId, sessionHash }: PersonInSession,
  ): Promise<Committed<StoredPerson | undefined>> {
    const person = await lock(tx.sql, personId);
    await requireOwn(tx, personId);
    if (!(await isSessionOf(tx.sql, personId, sessionHash))) return committed(undefined);
    if (!person.hasPassword) {
      throw new Refusal(
        'forbidden',
        'there is no other way in: ask for a link, and choose a password, first',
      );
    }
    return await unlinkHeld(tx.sql, person);
  },

  /** Removes everything with which the person could sign in again. */
  async disable(tx: Transaction, personId: string, atMs: number): Promise<Committed<StoredPerson>> {
    const events = await revokeHeld(tx.sql, await lockManaged(tx, personId), atMs);
    for (const key of await listPersonalKeys(tx.sql, personId, atMs)) {
      events.push(...(await revokeHeld(tx.sql, key, atMs)));
    }
    await tx.sql.run('UPDATE people SET password = NULL WHERE key_id = $1', [personId]);
    await removeFactors(tx.sql, personId);
    await logEvents(tx, events);
    return committed(
      await lock(tx.sql, personId),
      { kind: 'key_ended', keyId: personId },
      ...eventsLogged(events),
    );
  },
};

/**
 * Removes the identities, the rights that the provider has granted, and the sessions that began with it. The person can no
 * longer sign in by these identities.
 */
async function unlinkHeld(sql: Sql, { keyId, grants }: StoredPerson): Promise<Committed<StoredPerson>> {
  await sql.run('DELETE FROM identities WHERE key_id = $1', [keyId]);
  await updateRows(sql, 'keys', { keyId }, accessColumns({ grants: localGrants(grants) }));
  const ended = await removeProviderSessions(sql, { sid: null, keyId });
  return committed(await lock(sql, keyId), { kind: 'key_ended', keyId }, sessionsEnded(...ended));
}

const notFound = (personId: string): Refusal =>
  new Refusal('person_not_found', `there is no person ${quoted(personId)}, or this key may not manage them`);

const moreThanOwn = (): Refusal =>
  new Refusal('forbidden', 'nobody gives rights that they do not have themselves at the same places');

/** Locks a person whom the caller may manage as they are now. */
async function lockManaged(tx: Transaction, personId: string): Promise<StoredPerson> {
  const person = await lock(tx.sql, personId);
  await requireRight(
    tx,
    (caller) => mayManage(caller, person.grants),
    () => notFound(personId),
  );
  return person;
}

/** Locks the key of the person until the end of the transaction. */
async function lock(sql: Sql, personId: string): Promise<StoredPerson> {
  await sql.query(`SELECT key_id FROM keys WHERE key_id = $1 ${sql.forUpdate}`, [personId]);
  const found = await findWith(sql, 'people.key_id = $1', personId);
  if (found === undefined) throw notFound(personId);
  return found.person;
}
