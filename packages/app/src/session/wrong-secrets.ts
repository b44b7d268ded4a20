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

/** Networks and terminals from where wrong secrets of one person came; those of longest ago are forgotten first. */
const PLACES_MAX = 1_000;

export interface WrongSecret {
  /** Empty for a name that nobody has: what is written is the same, so that it takes the same time. */
  readonly personId: string;
  readonly kind: SecretKind;
  /** The network as `networkAt` writes it, or the terminal. */
  readonly place: string;
}

/** Wrong secrets of a person from one place. */
export interface WrongSecrets {
  readonly kind: SecretKind;
  /** The network, or the name of the terminal. */
  readonly place: string;
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

/** Newest first. */
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

/** How the networks of a place are stored: those elsewhere stand for themselves. */
export const networkAt = (place: string, network: string): string =>
  place === '' ? network : `${place} ${network}`;

/** What a node that has counted none of them goes on from. */
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

/** Returns the address of the person if it is time to tell them by mail. The person is locked. */
export async function countWrong(
  sql: Sql,
  { personId, kind, place }: WrongSecret,
  nowMs: number,
): Promise<string | null> {
  const onConflict = `ON CONFLICT (person_id, kind, place) DO UPDATE SET count = wrong_secrets.count + 1, last_at_ms = excluded.last_at_ms,
       waiting = CASE WHEN excluded.last_at_ms - wrong_secrets.last_at_ms >= ${DAY_MS} THEN 1 ELSE wrong_secrets.waiting + 1 END`;
  // Names that nobody has share one row.
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

/** The person is locked. */
export async function mailedNow(sql: Sql, personId: string, nowMs: number): Promise<void> {
  const onConflict = 'ON CONFLICT (person_id, kind, place) DO UPDATE SET last_at_ms = excluded.last_at_ms';
  const row = { personId, kind: 'mail', place: '', ...once(nowMs) };
  await insertRows(sql, { table: 'wrong_secrets', onConflict }, [row]);
}

/** After a whole sign-in nobody waits there; a few wrong ones before it were the person's own, of more the person is told. */
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
