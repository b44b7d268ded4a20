import { DAY_MS } from '@granary/contract/time';
import {
  isToldByMail,
  type NetworkTries,
  type PlaceTries,
  restoredPlace,
  type SecretKind,
  TOLD_FOR_MS,
  TYPED_WRONGLY_MAX,
} from '@granary/core/guesses';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** The limit of networks and terminals for one person; the one with the oldest last wrong secret is removed first. */
const PLACES_MAX = 1_000;

export interface WrongSecret {
  /** The id is empty for a name that nobody has: the same is written, so that the answer takes the same time. */
  readonly personId: string;
  readonly kind: SecretKind;
  /** The network, in the form of `networkAt`, or the terminal. */
  readonly place: string;
}

/** The wrong secrets of a person from one place. */
export interface WrongSecrets {
  readonly kind: SecretKind;
  /** The network, or the name of the terminal. */
  readonly place: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

/** Lists the wrong secrets of a person, newest first. */
export async function listWrongSecrets(sql: Sql, personId: string, nowMs: number): Promise<WrongSecrets[]> {
  const rows = await sql.query<WrongSecrets & { terminal: string | null }>(
    `SELECT wrong_secrets.kind, wrong_secrets.place, keys.name AS terminal, wrong_secrets.count,
       wrong_secrets.first_at_ms, wrong_secrets.last_at_ms
     FROM wrong_secrets LEFT JOIN keys ON keys.key_id = wrong_secrets.place
     WHERE wrong_secrets.person_id = $1 AND wrong_secrets.kind <> 'mail' AND wrong_secrets.last_at_ms > $2
     ORDER BY wrong_secrets.last_at_ms DESC, wrong_secrets.kind, wrong_secrets.place`,
    [personId, nowMs - TOLD_FOR_MS],
  );
  return rows.map(({ terminal, place, ...row }) => ({
    ...row,
    place: terminal ?? place.split(' ').at(-1) ?? place,
  }));
}

/** Returns the stored name of a network: at a known place it follows the place, elsewhere it stands alone. */
export const networkAt = (place: string, network: string): string =>
  place === '' ? network : `${place} ${network}`;

/** Returns the stored tries from which a node that has counted none of them continues. */
export async function storedPasswordTries(
  sql: Sql,
  personId: string,
  at: { readonly place: string; readonly network: string },
  nowMs: number,
): Promise<{ readonly network: NetworkTries | null; readonly place: PlaceTries | null }> {
  const rows = await sql.query<NetworkTries & { place: string }>(
    `SELECT place, waiting AS count, last_at_ms FROM wrong_secrets WHERE person_id = $1 AND kind = 'password'`,
    [personId],
  );
  const own = rows.find(({ place }) => place === networkAt(at.place, at.network));
  const there = rows.filter(({ place }) =>
    at.place === '' ? !place.includes(' ') : place.startsWith(`${at.place} `),
  );
  return {
    network: own === undefined ? null : { count: own.count, lastAtMs: own.lastAtMs },
    place: restoredPlace(there, nowMs),
  };
}

/** Counts a wrong secret; returns the address of the person if it is time to tell them by e-mail. The caller has locked the person. */
export async function countWrong(
  sql: Sql,
  { personId, kind, place }: WrongSecret,
  nowMs: number,
): Promise<string | null> {
  const onConflict = `ON CONFLICT (person_id, kind, place) DO UPDATE SET count = wrong_secrets.count + 1, last_at_ms = excluded.last_at_ms,
       waiting = CASE WHEN excluded.last_at_ms - wrong_secrets.last_at_ms >= ${DAY_MS} THEN 1 ELSE wrong_secrets.waiting + 1 END`;
  // All names that nobody has share one row.
  const row = { personId, kind, place: personId === '' ? '' : place, ...once(nowMs) };
  await insertRows(sql, { table: 'wrong_secrets', onConflict }, [row]);
  await sql.run(
    `DELETE FROM wrong_secrets WHERE person_id = $1 AND kind <> 'mail' AND (last_at_ms <= $2 OR last_at_ms < (
       SELECT last_at_ms FROM wrong_secrets WHERE person_id = $1 AND kind <> 'mail'
       ORDER BY last_at_ms DESC LIMIT 1 OFFSET ${PLACES_MAX}))`,
    [personId, nowMs - TOLD_FOR_MS],
  );
  const rows = await sql.query<{ kind: SecretKind | 'mail'; count: number; lastAtMs: number }>(
    'SELECT kind, count, last_at_ms FROM wrong_secrets WHERE person_id = $1',
    [personId],
  );
  const [person] = await sql.query<{ email: string | null }>('SELECT email FROM people WHERE key_id = $1', [
    personId,
  ]);
  const mailed = rows.find((one) => one.kind === 'mail');
  const wrong = rows.filter((one) => one.kind !== 'mail');
  return isToldByMail(wrong, mailed?.lastAtMs ?? null, nowMs) ? (person?.email ?? null) : null;
}

const once = (nowMs: number) => ({ count: 1, waiting: 1, firstAtMs: nowMs, lastAtMs: nowMs });

/** Records that an e-mail was sent. The caller has locked the person. */
export async function mailedNow(sql: Sql, personId: string, nowMs: number): Promise<void> {
  const onConflict = 'ON CONFLICT (person_id, kind, place) DO UPDATE SET last_at_ms = excluded.last_at_ms';
  const row = { personId, kind: 'mail', place: '', ...once(nowMs) };
  await insertRows(sql, { table: 'wrong_secrets', onConflict }, [row]);
}

/**
 * After a complete sign-in, the waiting time at this place ends. A few wrong secrets are removed as typing mistakes of the
 * person; more of them stay in the list that the person sees.
 */
export async function forgetMistyped(sql: Sql, personId: string, place: string): Promise<void> {
  await sql.run('UPDATE wrong_secrets SET waiting = 0 WHERE person_id = $1 AND place = $2', [
    personId,
    place,
  ]);
  await sql.run('DELETE FROM wrong_secrets WHERE person_id = $1 AND place = $2 AND count <= $3', [
    personId,
    place,
    TYPED_WRONGLY_MAX,
  ]);
}
