import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import {
  type Access,
  isUnlimited,
  isValidAt,
  keyRecord,
  limitsWith,
  type StoredKey,
} from '@granary/core/keys';
import { mayHoldKeyWith } from '@granary/core/people';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { shareBridges } from '../bridge-keys.ts';
import { accessChanged, type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { presetHashesOfNodes } from '../nodes.ts';
import { refuseLimited, requireOwn, requireRight } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import { moveViews, removeOwnViews } from '../views.ts';
import {
  countKeys,
  endKeyBy,
  findKeyByHash,
  findKeysByHash,
  findSecretsOf,
  hasFullKey,
  insertKey,
  type KeyPage,
  type KeySecret,
  listKeys,
  listPersonalKeys,
  listSecrets,
  lockAdminKeys,
  lockKey,
  lockKeyByHash,
  lockKeysNamed,
  moveLinks,
  type NewStoredKey,
  recordKeyUse,
  recordRevocation,
  removeSignInsOf,
  saveKey,
} from './key-rows.ts';

/** Locks the key until the end of the transaction. */
async function lockKnownKey(sql: Sql, keyId: string): Promise<StoredKey> {
  const key = await lockKey(sql, keyId);
  if (key === undefined || key.kind !== 'service')
    throw new Refusal('key_not_found', `there is no key ${quoted(keyId)}`);
  return key;
}

const MANAGE_KEYS = 'manage keys';

/** The limit for one person. */
const PERSONAL_KEYS_MAX = 50;

/** The result of presetting a key. */
export type PresetOutcome = 'unchanged' | 'created' | 'restored';

export const reads = {
  findByHash: (sql: Sql, hash: string) => findKeyByHash(sql, hash),
  findByHashes: (sql: Sql, hashes: readonly string[]) => findKeysByHash(sql, hashes),
  secrets: listSecrets,
  secretsOf: findSecretsOf,
  list: (sql: Sql, page: KeyPage) => listKeys(sql, page),
  listPersonal: (sql: Sql, ownerId: string, nowMs: number) => listPersonalKeys(sql, ownerId, nowMs),
  count: (sql: Sql) => countKeys(sql),
};

export const writes = {
  async create(tx: Transaction, key: NewStoredKey): Promise<Committed<StoredKey>> {
    refuseExpired(key);
    await refuseLimited(tx, MANAGE_KEYS);
    await requireRightsOf(tx, key);
    return await issue(tx, key);
  },

  /** Creates a key of a person. The person is locked, so that the number of their keys is exact. */
  async createPersonal(
    tx: Transaction,
    key: NewStoredKey & { readonly ownerId: string },
  ): Promise<Committed<StoredKey>> {
    const owner = await lockKey(tx.sql, key.ownerId);
    if (owner === undefined || !isValidAt(owner, key.createdAtMs)) {
      throw new Refusal('unauthorized', 'this session has ended; sign in again');
    }
    await requireOwn(tx, key.ownerId);
    refuseExpired(key);
    const others = await listPersonalKeys(tx.sql, key.ownerId, key.createdAtMs);
    if (others.length < PERSONAL_KEYS_MAX) return await issue(tx, key);
    throw new Refusal('key_limit_reached', `a person has at most ${PERSONAL_KEYS_MAX} keys`);
  },

  /** Gives a key of a program to a person. Its sessions and links continue as those of the person. */
  async assign(
    tx: Transaction,
    keyId: string,
    personId: string,
    nowMs: number,
  ): Promise<Committed<StoredKey>> {
    // The person is locked first, in the same order as when a person is disabled.
    const person = await lockKey(tx.sql, personId);
    if (person === undefined || person.kind !== 'person' || !isValidAt(person, nowMs)) {
      throw new Refusal('person_not_found', `there is no person ${quoted(personId)}, or they are disabled`);
    }
    const key = await lockKnownKey(tx.sql, keyId);
    await refuseLimited(tx, MANAGE_KEYS);
    // The holder of the secret acts under the name of the person from now on, so only the person may decide this.
    await requireInPerson(
      tx,
      personId,
      'a key is handed to nobody else: each person takes it over, or makes one',
    );
    if (key.kind !== 'service' || key.ownerId !== null || !isValidAt(key, nowMs)) {
      throw new Refusal('key_not_assignable', `the key ${quoted(keyId)} cannot be handed to a person`);
    }
    await saveKey(tx.sql, { ...key, ownerId: personId });
    await moveViews(tx.sql, keyId, personId);
    return committed(await lockKnownKey(tx.sql, keyId), { kind: 'key_ended', keyId });
  },

  /** Creates the admin key of a new database; returns `undefined` if there is a valid one already. */
  async createFirst(tx: Transaction, key: NewStoredKey): Promise<Committed<StoredKey | undefined>> {
    await lockAdminKeys(tx.sql);
    return (await hasFullKey(tx.sql, key.createdAtMs)) ? committed(undefined) : await issue(tx, key);
  },

  /** A repeated revocation changes nothing: the first time is kept. */
  async revoke(tx: Transaction, keyId: string, atMs: number): Promise<Committed<StoredKey>> {
    const key = await lockKnownKey(tx.sql, keyId);
    await requireRight(
      tx,
      (caller) => key.ownerId === caller.keyId || isUnlimited(limitsWith(caller, 'admin')),
      () => new Refusal('key_not_found', `there is no key ${quoted(keyId)} that is yours`),
    );
    const events = await revokeHeld(tx.sql, key, atMs);
    await logEvents(tx, events);
    return committed(
      await lockKnownKey(tx.sql, keyId),
      { kind: 'key_ended', keyId },
      ...eventsLogged(events),
    );
  },

  /** Creates a key with the rights and the expiry of the old one, which stays valid until `oldExpiresAtMs`. */
  async rotate(
    tx: Transaction,
    keyId: string,
    successor: KeySecret,
    oldExpiresAtMs: number,
  ): Promise<Committed<StoredKey>> {
    const old = await lockKnownKey(tx.sql, keyId);
    await refuseLimited(tx, MANAGE_KEYS);
    // The new secret lets its holder act under the name of the owner, so only the owner may get it.
    if (old.ownerId !== null) {
      await requireInPerson(
        tx,
        old.ownerId,
        'a personal key is renewed by its owner only; others may revoke it',
      );
    }
    await requireRightsOf(tx, old);
    if (!isValidAt(old, successor.createdAtMs))
      throw new Refusal('key_not_found', `the key ${quoted(keyId)} has ended`);
    await endKeyBy(tx.sql, keyId, oldExpiresAtMs);
    const created = await insert(tx.sql, { ...old, ...successor });
    await moveViews(tx.sql, keyId, created.keyId);
    await moveLinks(tx.sql, keyId, created.keyId);
    await shareBridges(tx.sql, keyId, created.keyId);
    const rotated = keyEvent('key.rotated', created, created.createdAtMs, { replaces: keyId });
    await logEvents(tx, [rotated]);
    return committed(
      created,
      { kind: 'key_ended', keyId },
      accessChanged(created.keyId),
      ...eventsLogged([rotated]),
    );
  },

  /**
   * Makes the preset key valid, even if it was revoked, and revokes all other keys of its name: an operator who changes the
   * setting wants the former key to end, and one who sets it wants access. Keys in the settings of other live nodes stay until
   * these nodes have been started with the new key.
   */
  async preset(tx: Transaction, key: NewStoredKey): Promise<Committed<PresetOutcome>> {
    const { name, hash, grants, createdAtMs: atMs, expiresAtMs } = key;
    await lockAdminKeys(tx.sql);
    // All rows are locked in one order and the event log last, so that two nodes cannot deadlock.
    const inUse = await presetHashesOfNodes(tx.sql, atMs);
    const locked = await lockKeysNamed(tx.sql, key);
    const isNew = await insertKey(tx.sql, key);
    const before = await lockKeyByHash(tx.sql, hash);
    if (before === undefined) throw new Error('a key that was just stored is missing');
    const { keyId } = before;
    const after = { ...before, ownerId: null, name, grants, expiresAtMs, revokedAtMs: null };
    const events: NewEvent[] = [];
    for (const other of locked) {
      if (other.keyId === keyId || inUse.includes(other.hash)) continue;
      events.push(...(await revokeHeld(tx.sql, await lockKnownKey(tx.sql, other.keyId), atMs)));
    }
    const isChanged = isNew || !isDeepStrictEqual(before, after);
    if (isChanged) {
      await saveKey(tx.sql, after);
      events.push(keyEvent('key.issued', after, atMs));
    }
    await logEvents(tx, events);
    const effects = [accessChanged(keyId), ...eventsLogged(events)];
    if (isNew) return committed('created', ...effects);
    return committed(isChanged ? 'restored' : 'unchanged', ...effects);
  },

  async recordUse(tx: Transaction, keyId: string, atMs: number): Promise<Committed<void>> {
    await recordKeyUse(tx.sql, keyId, atMs);
    return committed(undefined);
  },
};

/** Refuses callers that do not have these rights: the receiver of the secret could do everything that the key may do. */
async function requireRightsOf(tx: Transaction, { grants }: Access): Promise<void> {
  await requireRight(
    tx,
    (caller) => mayHoldKeyWith(caller, grants),
    () => new Refusal('forbidden', 'nobody gives rights that they do not have themselves at the same places'),
  );
}

/** Refuses everybody but the person, who has signed in and does not call with a key. */
async function requireInPerson(tx: Transaction, personId: string, refusal: string): Promise<void> {
  await requireRight(
    tx,
    ({ keyId, personalKeyId }) => keyId === personId && personalKeyId === null,
    () => new Refusal('forbidden', refusal),
  );
}

/** Checks the expiry inside the write, because a repeated request gets the first answer at any time. */
function refuseExpired({ expiresAtMs, createdAtMs }: NewStoredKey): void {
  if (expiresAtMs === null || expiresAtMs > createdAtMs) return;
  throw new Refusal('invalid_input', 'the key is not valid', [
    issueOf('/expires_at', sentence('has_passed')),
  ]);
}

async function issue(tx: Transaction, key: NewStoredKey): Promise<Committed<StoredKey>> {
  const created = await insert(tx.sql, key);
  const issued = keyEvent('key.issued', created, created.createdAtMs);
  await logEvents(tx, [issued]);
  return committed(created, accessChanged(created.keyId), ...eventsLogged([issued]));
}

async function insert(sql: Sql, key: NewStoredKey): Promise<StoredKey> {
  if (!(await insertKey(sql, key))) throw new Error(`key ${key.keyId} has the secret of another`);
  return await lockKnownKey(sql, key.keyId);
}

/** Returns the events to log: none if the key was revoked before. */
export async function revokeHeld(sql: Sql, before: StoredKey, atMs: number): Promise<NewEvent[]> {
  if (before.revokedAtMs !== null) return [];
  await recordRevocation(sql, before.keyId, atMs);
  await removeSignInsOf(sql, before.keyId);
  await removeOwnViews(sql, before.keyId);
  return [keyEvent('key.revoked', { ...before, revokedAtMs: atMs }, atMs)];
}

const keyEvent = (
  type: 'key.issued' | 'key.rotated' | 'key.revoked',
  key: StoredKey,
  atMs: number,
  more: object = {},
): NewEvent => ({ type, deviceNo: null, atMs, data: { ...keyRecord(key), ...more } });
