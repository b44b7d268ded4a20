import { ROLES, type Role, type Scope } from '@granary/contract/keys';
import {
  type Access,
  type Area,
  callerWithin,
  type Grant,
  isUnlimited,
  limitsWith,
  type StoredCaller,
  type StoredKey,
} from '@granary/core/keys';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** Only the hash of the key is stored. */
export interface KeySecret {
  readonly keyId: string;
  readonly hash: string;
  readonly createdAtMs: number;
}

export interface NewStoredKey extends KeySecret, Pick<StoredKey, 'kind' | 'name' | 'grants' | 'expiresAtMs'> {
  readonly ownerId?: string | null;
}

export interface KeyPage {
  readonly afterKeyId: string | null;
  readonly limit: number;
}

export interface KeyRow extends Omit<StoredKey, 'grants'> {
  readonly grants: string;
}

/** A role is stored by its name, so that a change of the role applies to all who have it. */
type StoredGrant = Area &
  Pick<Grant, 'source'> &
  ({ readonly role: Role } | { readonly scopes: readonly Scope[] });

export const KEY_COLUMNS = [
  'key_id',
  'kind',
  'owner_id',
  'name',
  'grants',
  'created_at_ms',
  'expires_at_ms',
  'last_used_at_ms',
  'revoked_at_ms',
]
  .map((column) => `keys.${column}`)
  .join(', ');

const SELECT_KEY = `SELECT ${KEY_COLUMNS} FROM keys`;

export const toKey = ({ grants, ...fields }: KeyRow): StoredKey => ({
  ...fields,
  grants: readGrants(grants),
});

/** A key with the stored data of its owner, if it is a personal key. */
export interface CallerRow extends KeyRow {
  readonly ownerName: string | null;
  readonly ownerGrants: string | null;
  readonly ownerExpiresAtMs: number | null;
  readonly ownerRevokedAtMs: number | null;
}

export const CALLER_COLUMNS = `${KEY_COLUMNS}, owners.name AS owner_name, owners.grants AS owner_grants,
  owners.expires_at_ms AS owner_expires_at_ms, owners.revoked_at_ms AS owner_revoked_at_ms`;

/** Joins the owners of personal keys. */
export const WITH_OWNERS = 'LEFT JOIN keys AS owners ON owners.key_id = keys.owner_id';

export function toCaller(row: CallerRow): StoredCaller {
  const { ownerName, ownerGrants, ownerExpiresAtMs, ownerRevokedAtMs, ...own } = row;
  const key = toKey(own);
  if (key.ownerId === null) return { ...key, personalKeyId: null };
  const owner = {
    keyId: key.ownerId,
    kind: 'person' as const,
    name: ownerName ?? '',
    grants: readGrants(ownerGrants ?? '[]'),
    expiresAtMs: ownerExpiresAtMs,
    revokedAtMs: ownerRevokedAtMs,
    ownerId: null,
  };
  return callerWithin(owner, key);
}

const readGrants = (grants: string): Grant[] => (JSON.parse(grants) as StoredGrant[]).map(readGrant);

const readGrant = (stored: StoredGrant): Grant =>
  'role' in stored ? { ...stored, scopes: ROLES[stored.role] } : { ...stored, role: null };

const writtenGrant = ({ role, scopes, ...place }: Grant): StoredGrant =>
  role === null ? { ...place, scopes } : { ...place, role };

/** The columns with the rights of the key. A personal key ends with its owner, so it never counts as the key with full access. */
export const accessColumns = (access: Access & Pick<NewStoredKey, 'ownerId'>) => ({
  grants: JSON.stringify(access.grants.map(writtenGrant)),
  isFullAdmin: Number(!access.ownerId && isUnlimited(limitsWith(access, 'admin'))),
});

export async function findKeyByHash(sql: Sql, hash: string): Promise<StoredKey | undefined> {
  const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE hash = $1`, [hash]);
  return row && toKey(row);
}

/** Finds those of the keys that exist, by their hashes. */
export async function findKeysByHash(
  sql: Sql,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, StoredCaller>> {
  const rows = await sql.query<SecretRow>(
    `SELECT keys.hash, ${CALLER_COLUMNS} FROM keys ${WITH_OWNERS} WHERE ${sql.isOneOf('keys.hash', '$1')}`,
    [JSON.stringify(hashes)],
  );
  return callersByHash(rows);
}

/** One page of the secrets that are valid now, in the order of their hashes. */
export interface SecretPage {
  readonly afterHash: string;
  readonly limit: number;
  readonly nowMs: number;
}

const SELECT_SECRET = `SELECT keys.hash, ${CALLER_COLUMNS} FROM keys ${WITH_OWNERS} WHERE keys.kind = 'service'`;

type SecretRow = CallerRow & { readonly hash: string };

const callersByHash = (rows: readonly SecretRow[]): Map<string, StoredCaller> =>
  new Map(rows.map(({ hash, ...key }) => [hash, toCaller(key)]));

/** Lists the callers that have a secret of their own, by its hash. */
export async function listSecrets(
  sql: Sql,
  { afterHash, limit, nowMs }: SecretPage,
): Promise<ReadonlyMap<string, StoredCaller>> {
  const rows = await sql.query<SecretRow>(
    `${SELECT_SECRET} AND keys.hash > $1 AND keys.revoked_at_ms IS NULL
       AND (keys.expires_at_ms IS NULL OR keys.expires_at_ms > $2)
     ORDER BY keys.hash LIMIT $3`,
    [afterHash, nowMs, limit],
  );
  return callersByHash(rows);
}

/** Finds the secrets of these keys, and those of the personal keys of these people. */
export async function findSecretsOf(
  sql: Sql,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, StoredCaller>> {
  const rows = await sql.query<SecretRow>(
    `${SELECT_SECRET} AND (${sql.isOneOf('keys.key_id', '$1')} OR ${sql.isOneOf('keys.owner_id', '$1')})`,
    [JSON.stringify(keyIds)],
  );
  return callersByHash(rows);
}

export async function findCaller(sql: Sql, keyId: string): Promise<StoredCaller | undefined> {
  const [row] = await sql.query<CallerRow>(
    `SELECT ${CALLER_COLUMNS} FROM keys ${WITH_OWNERS} WHERE keys.key_id = $1`,
    [keyId],
  );
  return row && toCaller(row);
}

/** Lists the keys of a person that have not ended, oldest first. */
export async function listPersonalKeys(sql: Sql, ownerId: string, nowMs: number): Promise<StoredKey[]> {
  const rows = await sql.query<KeyRow>(
    `${SELECT_KEY} WHERE owner_id = $1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $2)
     ORDER BY key_id`,
    [ownerId, nowMs],
  );
  return rows.map(toKey);
}

export async function findKeysById(
  sql: Sql,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, StoredKey>> {
  const rows = await sql.query<KeyRow>(`${SELECT_KEY} WHERE ${sql.isOneOf('keys.key_id', '$1')}`, [
    JSON.stringify(keyIds),
  ]);
  return new Map(rows.map((row) => [row.keyId, toKey(row)]));
}

/** Locks the key until the end of the transaction. */
export async function lockKey(sql: Sql, keyId: string): Promise<StoredKey | undefined> {
  const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE key_id = $1 ${sql.forUpdate}`, [keyId]);
  return row && toKey(row);
}

/** Locks several keys in the order of their ids; otherwise two nodes could wait for each other. */
export async function lockKeys(sql: Sql, keyIds: readonly string[]): Promise<void> {
  await sql.query(
    `SELECT key_id FROM keys WHERE ${sql.isOneOf('key_id', '$1')} ORDER BY key_id ${sql.forUpdate}`,
    [JSON.stringify(keyIds)],
  );
}

export async function lockKeyByHash(sql: Sql, hash: string): Promise<StoredKey | undefined> {
  const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE hash = $1 ${sql.forUpdate}`, [hash]);
  return row && toKey(row);
}

/** Locks the keys with this name or this hash in the order of their ids; otherwise two nodes could wait for each other. */
export async function lockKeysNamed(
  sql: Sql,
  { name, hash }: Pick<NewStoredKey, 'name' | 'hash'>,
): Promise<Pick<KeySecret, 'keyId' | 'hash'>[]> {
  return await sql.query<Pick<KeySecret, 'keyId' | 'hash'>>(
    `SELECT key_id, hash FROM keys WHERE name = $1 OR hash = $2 ORDER BY key_id ${sql.forUpdate}`,
    [name, hash],
  );
}

/** Lets nodes that start at the same time create or preset their admin keys one after the other. */
export async function lockAdminKeys(sql: Sql): Promise<void> {
  await sql.query(`SELECT version FROM granary_schema ${sql.forUpdate}`);
}

/** Returns whether there is a key that can do everything. */
export async function hasFullKey(sql: Sql, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 AS found FROM keys WHERE is_full_admin = 1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > $1) LIMIT 1`,
    [nowMs],
  );
  return rows.length > 0;
}

export async function listKeys(sql: Sql, { afterKeyId, limit }: KeyPage): Promise<StoredKey[]> {
  const rows = await sql.query<KeyRow>(
    `${SELECT_KEY} WHERE kind = 'service' AND key_id > $1 ORDER BY key_id LIMIT $2`,
    [afterKeyId ?? '', limit],
  );
  return rows.map(toKey);
}

export async function countKeys(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>('SELECT COUNT(*) AS count FROM keys');
  return row?.count ?? 0;
}

/** Inserts a key; returns whether no key had this hash before. */
export async function insertKey(sql: Sql, key: NewStoredKey): Promise<boolean> {
  const { keyId, hash, kind, ownerId = null, name, createdAtMs, expiresAtMs } = key;
  const row = { keyId, hash, kind, ownerId, name, createdAtMs, expiresAtMs, ...accessColumns(key) };
  const target = { table: 'keys', onConflict: 'ON CONFLICT (hash) DO NOTHING' };
  return (await insertRows(sql, target, [row])) === 1;
}

export async function saveKey(sql: Sql, key: StoredKey): Promise<void> {
  const { keyId, ownerId, name, expiresAtMs, revokedAtMs } = key;
  await updateRows(
    sql,
    'keys',
    { keyId },
    { ownerId, name, expiresAtMs, revokedAtMs, ...accessColumns(key) },
  );
}

/** Ends the key at a time, unless it ends earlier. */
export async function endKeyBy(sql: Sql, keyId: string, expiresAtMs: number): Promise<void> {
  await sql.run(
    `UPDATE keys SET expires_at_ms = $2 WHERE key_id = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2)`,
    [keyId, expiresAtMs],
  );
}

export async function recordRevocation(sql: Sql, keyId: string, atMs: number): Promise<void> {
  await sql.run('UPDATE keys SET revoked_at_ms = $2 WHERE key_id = $1', [keyId, atMs]);
}

/** Records the time of a use, unless a later one is stored. */
export async function recordKeyUse(sql: Sql, keyId: string, atMs: number): Promise<void> {
  await sql.run(
    `UPDATE keys SET last_used_at_ms = $2
     WHERE key_id = $1 AND (last_used_at_ms IS NULL OR last_used_at_ms < $2)`,
    [keyId, atMs],
  );
}

/** Removes sessions and sign-in codes, so that a key that is restored later does not sign browsers in again. */
export async function removeSignInsOf(sql: Sql, keyId: string): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE key_id = $1', [keyId]);
  await sql.run('DELETE FROM sign_in_codes WHERE key_id = $1', [keyId]);
  await leaveTerminals(sql, keyId);
}

/** Removes the person from the terminals where they have signed in; these terminals are then locked. */
export async function leaveTerminals(sql: Sql, personId: string): Promise<void> {
  await sql.run('UPDATE sessions SET person_id = NULL WHERE person_id = $1', [personId]);
}

/** Keeps the sign-in links of a key that is replaced: the new key may do the same as the old one. */
export async function moveLinks(sql: Sql, fromKeyId: string, toKeyId: string): Promise<void> {
  await updateRows(sql, 'sign_in_codes', { madeBy: fromKeyId }, { madeBy: toKeyId });
}
