import { Refusal } from '@granary/contract/errors';
import {
  canAccess,
  hasScope,
  isUnlimited,
  isValidAt,
  type Limits,
  limitsWith,
  type Place,
  type StoredCaller,
  secretHolderOf,
  UNLIMITED,
} from '@granary/core/keys';
import { callerAtTerminal } from '@granary/core/terminals';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { findCaller } from './keys/key-rows.ts';
import { findSessions } from './session/session-rows.ts';
import type { CallerReference, Transaction } from './transaction.ts';

/**
 * Returns the caller with its rights in this transaction: it may have ended, or have got other rights, since its request. It is
 * called after the subject of the write was locked, so that both are compared at one moment. Returns `null` if no caller asked
 * for the write, and for a stop.
 */
export async function callerNow({ sql, caller }: Transaction): Promise<StoredCaller | null> {
  if (caller === null) return null;
  const found = await findReferenced(sql, caller);
  if (found === null || secretHolderOf(found) !== caller.keyId)
    throw new Refusal('unauthorized', 'this key or session has ended');
  if (caller.scope === null || hasScope(found, caller.scope)) return found;
  throw new Refusal('forbidden', `this API key lacks the scope "${caller.scope}"`);
}

/** Finds the caller again. At a terminal, another person may have signed in meanwhile. */
async function findReferenced(
  sql: Sql,
  { keyId, sessionHash, atMs }: CallerReference,
): Promise<StoredCaller | null> {
  if (sessionHash === null) {
    const key = await findCaller(sql, keyId);
    return key !== undefined && isValidAt(key, atMs) ? key : null;
  }
  const found = (await findSessions(sql, [sessionHash])).get(sessionHash);
  if (found === undefined || atMs >= found.session.expiresAtMs || !isValidAt(found.key, atMs)) return null;
  return callerAtTerminal(found, atMs);
}

/** Refuses unless the caller may do this; the service itself may do everything. */
export async function requireRight(
  tx: Transaction,
  mayDo: (caller: StoredCaller) => boolean,
  refusal: () => Refusal,
): Promise<void> {
  const caller = await callerNow(tx);
  if (caller !== null && !mayDo(caller)) throw refusal();
}

/** Returns where the caller may do what it asks for. */
export async function limitsOf(tx: Transaction): Promise<Limits> {
  const caller = await callerNow(tx);
  return caller === null ? UNLIMITED : limitsIn(tx, caller);
}

const limitsIn = ({ caller }: Transaction, found: StoredCaller): Limits =>
  limitsWith(found, caller?.scope ?? 'read');

/** Refuses a limited key to do what concerns every site: the key could reach beyond its limits with it. */
export async function refuseLimited(tx: Transaction, what: string): Promise<void> {
  await requireRight(
    tx,
    (caller) => isUnlimited(limitsIn(tx, caller)),
    () => new Refusal('forbidden', `a key that is limited to sites or devices cannot ${what}`),
  );
}

/** Refuses unless the caller owns what is changed: sessions, passwords, personal keys, views or browsers. */
export async function requireOwn(tx: Transaction, keyId: string | null): Promise<void> {
  await requireRight(
    tx,
    (caller) => caller.keyId === keyId || secretHolderOf(caller) === keyId,
    () => new Refusal('forbidden', 'this belongs to somebody else'),
  );
}

/**
 * Refuses a device outside the limits of the caller: it counts as not found if the caller may not read it; otherwise the
 * refusal is `forbidden`. The device is locked before this call.
 */
export async function refuseOutside(tx: Transaction, deviceNo: number): Promise<void> {
  const caller = await callerNow(tx);
  if (caller === null) return;
  const [place] = await tx.sql.query<Place>('SELECT device_id, facility FROM devices WHERE device_no = $1', [
    deviceNo,
  ]);
  if (place === undefined || canAccess(limitsIn(tx, caller), place)) return;
  const { deviceId } = place;
  if (!canAccess(limitsWith(caller, 'read'), place)) {
    throw new Refusal(
      'device_not_found',
      `there is no device ${quoted(deviceId)}, or this key may not see it`,
    );
  }
  throw new Refusal('forbidden', `this key may not do that at the device ${quoted(deviceId)}`);
}
