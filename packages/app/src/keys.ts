import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '@granary/contract/errors';
import { type Access, isValidAt } from '@granary/core/keys';
import type { Sql } from '@granary/store/sql';
import { logEvents, type NewEvent } from '@granary/store/tables/events';
import { keyRecord } from './devices/records.ts';
import { type Committed, committed, eventsLogged } from './effects.ts';

export interface StoredKey extends Access {
  readonly keyId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** The key itself is never stored, only what it hashes to. */
interface Secret {
  readonly keyId: string;
  readonly hash: string;
  readonly createdAtMs: number;
}

export interface NewStoredKey extends Access, Secret {
  readonly name: string;
  readonly expiresAtMs: number | null;
}

export interface KeyPage {
  readonly afterKeyId: string | null;
  readonly limit: number;
}

type KeyRow = [
  ...[keyId: string, name: string, scopes: string, facilities: string | null, deviceIds: string | null],
  ...[
    createdAtMs: number,
    expiresAtMs: number | null,
    lastUsedAtMs: number | null,
    revokedAtMs: number | null,
  ],
];

const SELECT_KEY = `
  SELECT key_id, name, scopes, facilities, device_ids, created_at_ms, expires_at_ms, last_used_at_ms, revoked_at_ms
  FROM keys`;

function toKey(row: KeyRow): StoredKey {
  const [keyId, name, scopes, facilities, deviceIds, ...times] = row;
  const [createdAtMs, expiresAtMs, lastUsedAtMs, revokedAtMs] = times;
  return {
    ...{ keyId, name, createdAtMs, expiresAtMs, lastUsedAtMs, revokedAtMs },
    scopes: JSON.parse(scopes),
    facilities: facilities === null ? null : JSON.parse(facilities),
    deviceIds: deviceIds === null ? null : JSON.parse(deviceIds),
  };
}

/** For writes: nobody else changes the key before they are done. */
async function hold(sql: Sql, keyId: string): Promise<StoredKey> {
  const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE key_id = $1 ${sql.forUpdate}`, [keyId]);
  if (row === undefined) throw new Refusal('key_not_found', `there is no key ${keyId}`);
  return toKey(row);
}

const listText = (list: readonly string[] | null): string | null =>
  list === null ? null : JSON.stringify(list);

/** What became of a key that the operator has chosen. */
export type PresetOutcome = 'unchanged' | 'created' | 'restored';

export const reads = {
  async findByHash(sql: Sql, hash: string): Promise<StoredKey | undefined> {
    const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE hash = $1`, [hash]);
    return row && toKey(row);
  },

  async list(sql: Sql, { afterKeyId, limit }: KeyPage): Promise<StoredKey[]> {
    const rows = await sql.query<KeyRow>(`${SELECT_KEY} WHERE key_id > $1 ORDER BY key_id LIMIT $2`, [
      afterKeyId ?? '',
      limit,
    ]);
    return rows.map(toKey);
  },

  async count(sql: Sql): Promise<number> {
    const [row] = await sql.query<[number]>('SELECT COUNT(*) FROM keys');
    return row?.[0] ?? 0;
  },
};

export const writes = {
  async create(sql: Sql, key: NewStoredKey): Promise<Committed<StoredKey>> {
    // Checked here and not before, because a repeated request is answered like the first whatever the time is now.
    if (key.expiresAtMs !== null && key.expiresAtMs <= key.createdAtMs) {
      throw new Refusal('invalid_input', 'the key is not valid', [
        { path: '/expires_at', message: 'has passed' },
      ]);
    }
    const created = await insert(sql, key);
    const issued = keyEvent('key.issued', created, created.createdAtMs);
    await logEvents(sql, [issued]);
    return committed(created, ...eventsLogged([issued]));
  },

  /** Repeating it changes nothing: the first time counts. */
  async revoke(sql: Sql, keyId: string, atMs: number): Promise<Committed<StoredKey>> {
    const events = await revokeHeld(sql, await hold(sql, keyId), atMs);
    await logEvents(sql, events);
    return committed(await hold(sql, keyId), { kind: 'key_ended', keyId }, ...eventsLogged(events));
  },

  /** A new key with the rights and the end of the old one, which goes on working until `oldExpiresAtMs`. */
  async rotate(
    sql: Sql,
    keyId: string,
    successor: Secret,
    oldExpiresAtMs: number,
  ): Promise<Committed<StoredKey>> {
    const old = await hold(sql, keyId);
    if (!isValidAt(old, successor.createdAtMs)) throw new Refusal('key_not_found', `key ${keyId} has ended`);
    await sql.run(
      `UPDATE keys SET expires_at_ms = $2 WHERE key_id = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2)`,
      [keyId, oldExpiresAtMs],
    );
    const created = await insert(sql, { ...old, ...successor });
    const rotated = keyEvent('key.rotated', created, created.createdAtMs, { replaces: keyId });
    await logEvents(sql, [rotated]);
    return committed(created, { kind: 'key_ended', keyId }, ...eventsLogged([rotated]));
  },

  /**
   * Makes the key that the operator has chosen valid, whatever had become of it, and revokes all others of its name: who
   * changes the setting wants the former key to end, and who sets it wants to be let in.
   */
  async preset(sql: Sql, key: NewStoredKey): Promise<Committed<PresetOutcome>> {
    const { name, hash, scopes, facilities, deviceIds, createdAtMs: atMs, expiresAtMs } = key;
    // All rows in one order, and the event log last, or two nodes could wait for each other.
    const held = await sql.query<[keyId: string]>(
      `SELECT key_id FROM keys WHERE name = $1 OR hash = $2 ORDER BY key_id ${sql.forUpdate}`,
      [name, hash],
    );
    const isNew = (await insertUnlessKnown(sql, key)) === 1;
    const [row] = await sql.query<KeyRow>(`${SELECT_KEY} WHERE hash = $1 ${sql.forUpdate}`, [hash]);
    if (row === undefined) throw new Error('a key that was just stored is missing');
    const before = toKey(row);
    const { keyId } = before;
    const after = { ...before, name, scopes, facilities, deviceIds, expiresAtMs, revokedAtMs: null };
    const events: NewEvent[] = [];
    for (const [otherId] of held) {
      if (otherId !== keyId) events.push(...(await revokeHeld(sql, await hold(sql, otherId), atMs)));
    }
    const isChanged = isNew || !isDeepStrictEqual(before, after);
    if (isChanged) {
      await sql.run(
        `UPDATE keys SET name = $2, scopes = $3, facilities = $4, device_ids = $5, expires_at_ms = $6,
           revoked_at_ms = NULL WHERE key_id = $1`,
        [...[keyId, name, JSON.stringify(scopes), listText(facilities), listText(deviceIds)], expiresAtMs],
      );
      events.push(keyEvent('key.issued', after, atMs));
    }
    await logEvents(sql, events);
    const effects = eventsLogged(events);
    if (isNew) return committed('created', ...effects);
    return committed(isChanged ? 'restored' : 'unchanged', ...effects);
  },

  async recordUse(sql: Sql, keyId: string, atMs: number): Promise<Committed<void>> {
    await sql.run(
      `UPDATE keys SET last_used_at_ms = $2
       WHERE key_id = $1 AND (last_used_at_ms IS NULL OR last_used_at_ms < $2)`,
      [keyId, atMs],
    );
    return committed(undefined);
  },
};

async function insert(sql: Sql, key: NewStoredKey): Promise<StoredKey> {
  if ((await insertUnlessKnown(sql, key)) === 0)
    throw new Error(`key ${key.keyId} has the secret of another`);
  return await hold(sql, key.keyId);
}

/** Answers what to log of it: nothing if it was revoked before. */
async function revokeHeld(sql: Sql, before: StoredKey, atMs: number): Promise<NewEvent[]> {
  if (before.revokedAtMs !== null) return [];
  await sql.run('UPDATE keys SET revoked_at_ms = $2 WHERE key_id = $1', [before.keyId, atMs]);
  return [keyEvent('key.revoked', { ...before, revokedAtMs: atMs }, atMs)];
}

/** Answers how many were inserted. */
const insertUnlessKnown = (sql: Sql, key: NewStoredKey): Promise<number> =>
  sql.run(
    `INSERT INTO keys (key_id, hash, name, scopes, facilities, device_ids, created_at_ms, expires_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (hash) DO NOTHING`,
    [
      ...[key.keyId, key.hash, key.name, JSON.stringify(key.scopes), listText(key.facilities)],
      ...[listText(key.deviceIds), key.createdAtMs, key.expiresAtMs],
    ],
  );

const keyEvent = (
  type: 'key.issued' | 'key.rotated' | 'key.revoked',
  key: StoredKey,
  atMs: number,
  more: object = {},
): NewEvent => ({ type, deviceNo: null, atMs, data: { ...keyRecord(key), ...more } });
