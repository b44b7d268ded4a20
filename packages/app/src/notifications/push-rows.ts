import type { StoredCaller } from '@granary/core/keys';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { CALLER_COLUMNS, type CallerRow, toCaller, WITH_OWNERS } from '../keys/key-rows.ts';

/** The limit for one person; a further subscription ends the oldest one. */
export const PUSH_SUBSCRIPTIONS_MAX = 20;

/** A browser that receives Web Push. */
export interface StoredSubscription {
  readonly subscriptionId: string;
  readonly keyId: string;
  /** The session with which the browser was registered; `null` when that session has expired. */
  readonly sessionHash: string | null;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly browser: string;
  readonly createdAtMs: number;
}

/** The keys of the service, as base64url: push services recognise the service by them (VAPID). */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

const COLUMNS = 'subscription_id, key_id, session_hash, endpoint, p256dh, auth, browser, created_at_ms'
  .split(', ')
  .map((column) => `push_subscriptions.${column}`)
  .join(', ');

/**
 * A subscription ends with the session of its browser: when the browser signs out, when the session is ended elsewhere, or when
 * the person is disabled. A session that has expired does not end it.
 */
const IS_IN_FORCE = `(push_subscriptions.session_hash IS NULL
  OR EXISTS (SELECT 1 FROM sessions WHERE sessions.hash = push_subscriptions.session_hash))`;

/** Lists the subscriptions of a person, oldest first. */
export const subscriptionsOf = (sql: Sql, keyId: string): Promise<StoredSubscription[]> =>
  sql.query<StoredSubscription>(
    `SELECT ${COLUMNS} FROM push_subscriptions WHERE key_id = $1 AND ${IS_IN_FORCE}
     ORDER BY created_at_ms, subscription_id`,
    [keyId],
  );

/** A browser, with the person to whom it belongs at this moment. */
export interface PushDestination {
  readonly subscription: StoredSubscription;
  readonly caller: StoredCaller;
}

export async function findDestination(
  sql: Sql,
  subscriptionId: string,
): Promise<PushDestination | undefined> {
  const [subscription] = await sql.query<StoredSubscription>(
    `SELECT ${COLUMNS} FROM push_subscriptions WHERE subscription_id = $1 AND ${IS_IN_FORCE}`,
    [subscriptionId],
  );
  const [row] = await callers(sql, 'keys.key_id = $1', subscription?.keyId ?? '');
  return subscription && row && { subscription, caller: toCaller(row) };
}

/** Lists the people who receive Web Push. */
export async function pushedCallers(sql: Sql): Promise<StoredCaller[]> {
  const isPushed = `EXISTS (SELECT 1 FROM push_subscriptions WHERE push_subscriptions.key_id = keys.key_id AND ${IS_IN_FORCE})`;
  return (await callers(sql, isPushed)).map(toCaller);
}

const callers = (sql: Sql, condition: string, ...values: string[]): Promise<CallerRow[]> =>
  sql.query<CallerRow>(`SELECT ${CALLER_COLUMNS} FROM keys ${WITH_OWNERS} WHERE ${condition}`, values);

/** Stores a subscription. If another person used the browser before, it belongs only to the new person. */
export async function saveSubscription(sql: Sql, subscription: StoredSubscription): Promise<void> {
  const { endpoint, keyId } = subscription;
  await sql.run('DELETE FROM push_subscriptions WHERE endpoint = $1 AND key_id <> $2', [endpoint, keyId]);
  await insertRows(
    sql,
    {
      table: 'push_subscriptions',
      onConflict: `ON CONFLICT (endpoint) DO UPDATE SET session_hash = excluded.session_hash,
        p256dh = excluded.p256dh, auth = excluded.auth, browser = excluded.browser`,
    },
    [{ ...subscription }],
  );
  await sql.run(
    `DELETE FROM push_subscriptions WHERE key_id = $1 AND (NOT ${IS_IN_FORCE} OR subscription_id NOT IN (
       SELECT subscription_id FROM push_subscriptions WHERE key_id = $1
       ORDER BY created_at_ms DESC, subscription_id DESC LIMIT $2))`,
    [keyId, PUSH_SUBSCRIPTIONS_MAX],
  );
}

/** Returns whether the person had this subscription. */
export async function removeSubscription(sql: Sql, keyId: string, subscriptionId: string): Promise<boolean> {
  const own = 'subscription_id = $1 AND key_id = $2';
  return (await sql.run(`DELETE FROM push_subscriptions WHERE ${own}`, [subscriptionId, keyId])) === 1;
}

export async function findPushKeys(sql: Sql): Promise<PushKeys | undefined> {
  const [keys] = await sql.query<PushKeys>('SELECT public_key, private_key FROM push_keys');
  return keys;
}

/** If several nodes create keys at the same time, the first ones stay. */
export async function insertPushKeys(sql: Sql, keys: PushKeys): Promise<void> {
  await insertRows(sql, { table: 'push_keys', onConflict: 'ON CONFLICT (key_no) DO NOTHING' }, [
    { keyNo: 1, publicKey: keys.publicKey, privateKey: keys.privateKey },
  ]);
}
