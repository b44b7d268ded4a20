import {
  type CodeTries,
  codeTry,
  KNOWN_PLACES_MAX,
  type PinTries,
  type PinTry,
  pinsOfDay,
  pinTry,
} from '@granary/core/guesses';
import { guessedMessage } from '@granary/core/notifications/guessed';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from '../effects.ts';
import { newId } from '../ids.ts';
import { lockKey } from '../keys/key-rows.ts';
import { insertNotifications } from '../notifications/notification-rows.ts';
import type { Transaction } from '../transaction.ts';
import {
  countWrong,
  forgetMistyped,
  listWrongSecrets,
  mailedNow,
  storedPasswordTries,
  type WrongSecret,
} from './wrong-secrets.ts';

/** A network or a terminal from where a person signs in. */
interface PlaceOfPerson {
  readonly personId: string;
  readonly place: string;
}

interface Guesses extends PlaceOfPerson {
  readonly kind: 'pin' | 'pin_day' | 'code';
  readonly count: number;
  readonly atMs: number;
}

/** The result of taking a code for a check; the code may be checked if `waitMs` is 0. */
interface TakenCode {
  readonly waitMs: number;
  /** The known place, or `ELSEWHERE` for all other places together; a right code is subtracted from the count there. */
  readonly countedAt: string;
}

const ELSEWHERE = '';

interface PasswordPlace extends PlaceOfPerson {
  /** The names under which the network is counted: `home` if the person is known at the place, otherwise `elsewhere`. */
  readonly networks: { readonly home: string; readonly elsewhere: string };
}

export const reads = {
  /** Returns whether the person has completed a sign-in at this place, and the wrong passwords since then. */
  async passwordTries(sql: Sql, { networks, ...at }: PasswordPlace, nowMs: number) {
    const known = await isKnown(sql, at);
    const counted = known
      ? { place: at.place, network: networks.home }
      : { place: '', network: networks.elsewhere };
    return { isKnown: known, ...(await storedPasswordTries(sql, at.personId, counted, nowMs)) };
  },

  wrongSecrets: (sql: Sql, personId: string, nowMs: number) => listWrongSecrets(sql, personId, nowMs),
};

/** Guesses are counted before they are checked, so that of many guesses at once only a few are checked. Each write locks the person. */
export const writes = {
  async takeCode(tx: Transaction, at: PlaceOfPerson, nowMs: number): Promise<Committed<TakenCode>> {
    const { personId } = at;
    await lockKey(tx.sql, personId);
    const countedAt = (await isKnown(tx.sql, at)) ? at.place : ELSEWHERE;
    const { waitMs, tries } = codeTry(await codeTries(tx.sql, personId, countedAt), nowMs);
    if (waitMs === 0) {
      const { count, sinceMs } = tries;
      await save(tx.sql, { personId, kind: 'code', place: countedAt, count, atMs: sinceMs });
    }
    return { ...committed({ waitMs, countedAt }), audited: 'nothing' };
  },

  async takePin(tx: Transaction, at: PlaceOfPerson, nowMs: number): Promise<Committed<PinTry>> {
    await lockKey(tx.sql, at.personId);
    const tries = (await pinTriesAt(tx.sql, at.place, at.personId)).get(at.personId) ?? NO_TRIES;
    const result = pinTry(tries, nowMs);
    if (result !== 'password_required' && result.waitMs === 0) {
      const { count, sinceMs } = pinsOfDay(tries, nowMs).tries;
      await save(tx.sql, { ...at, kind: 'pin', count: tries.count + 1, atMs: nowMs });
      await save(tx.sql, { ...at, kind: 'pin_day', count, atMs: sinceMs });
    }
    return { ...committed(result), audited: 'nothing' };
  },

  /** Counts a wrong secret, and tells its owner by e-mail if that is due. */
  async wrong(
    tx: Transaction,
    secret: WrongSecret,
    { nowMs, canSendMail }: { readonly nowMs: number; readonly canSendMail: boolean },
  ): Promise<Committed<null>> {
    const { personId } = secret;
    await lockKey(tx.sql, personId);
    const email = await countWrong(tx.sql, secret, nowMs);
    if (email === null || !canSendMail) return { ...committed(null), audited: 'nothing' };
    await mailedNow(tx.sql, personId, nowMs);
    await insertNotifications(tx.sql, NOTIFICATION_DOCUMENT, [mailTo(email, personId, nowMs)]);
    return { ...committed(null, { kind: 'notifications_due' }), audited: 'nothing' };
  },

  /** Forgets a few wrong secrets at a place from where the person has now signed in completely. */
  async mistyped(tx: Transaction, { personId, place }: PlaceOfPerson): Promise<Committed<null>> {
    await lockKey(tx.sql, personId);
    await forgetMistyped(tx.sql, personId, place);
    return { ...committed(null), audited: 'nothing' };
  },

  /**
   * Resets the counts of a terminal after a right PIN. With `isWhole`, all factors of a sign-in were right, and the terminal
   * becomes known.
   */
  async recognised(
    tx: Transaction,
    at: PlaceOfPerson,
    { isWhole, nowMs }: { readonly isWhole: boolean; readonly nowMs: number },
  ): Promise<Committed<null>> {
    await lockKey(tx.sql, at.personId);
    const { personId, place } = at;
    await tx.sql.run(`DELETE FROM guesses WHERE person_id = $1 AND kind = 'pin' AND place = $2`, [
      personId,
      place,
    ]);
    // After a right PIN, the count of the day stays and is only reduced by this try: another person may guess between the tries
    // of the owner.
    await tx.sql.run(
      isWhole
        ? `DELETE FROM guesses WHERE person_id = $1 AND kind = 'pin_day' AND place = $2`
        : `UPDATE guesses SET count = count - 1 WHERE person_id = $1 AND kind = 'pin_day' AND place = $2 AND count > 0`,
      [personId, place],
    );
    await forgetMistyped(tx.sql, at.personId, at.place);
    if (isWhole) await learnPlace(tx.sql, at, nowMs);
    return { ...committed(null), audited: 'nothing' };
  },
};

/** Returns the e-mail to the person; at most one is sent in a day. */
function mailTo(email: string, personId: string, nowMs: number): StoredNotification {
  const ruleId = `guessed-${personId}`;
  const content = { ...guessedMessage(), alerts: [], alertCount: 0, target: { email } };
  return {
    notificationId: newId('ntf', nowMs),
    ruleId,
    step: 0,
    status: 'pending',
    channel: 'email',
    kind: 'guessed',
    content: { ...content, ruleName: content.subject },
    createdAtMs: nowMs,
    attempts: 0,
    nextAttemptAtMs: nowMs,
    sentAtMs: null,
    lastError: null,
  };
}

async function isKnown(sql: Sql, { personId, place }: PlaceOfPerson): Promise<boolean> {
  const text = 'SELECT 1 AS found FROM known_places WHERE person_id = $1 AND place = $2';
  return (await sql.query(text, [personId, place])).length === 1;
}

async function codeTries(sql: Sql, personId: string, place: string): Promise<CodeTries | undefined> {
  const [row] = await sql.query<CodeTries>(
    `SELECT count, at_ms AS since_ms FROM guesses WHERE person_id = $1 AND kind = 'code' AND place = $2`,
    [personId, place],
  );
  return row;
}

export const NO_TRIES: PinTries = { count: 0, lastAtMs: 0, elsewhere: 0, isKnown: false, ofDay: null };

interface PinTriesRow extends Omit<PinTries, 'isKnown' | 'ofDay'> {
  readonly personId: string;
  readonly isKnown: number;
  readonly dayCount: number;
  readonly daySinceMs: number;
}

/** Returns the PIN tries of all people whose PIN was tried somewhere, or of one person, by the id of the person. */
export async function pinTriesAt(
  sql: Sql,
  terminalId: string,
  personId: string | null,
): Promise<ReadonlyMap<string, PinTries>> {
  const rows = await sql.query<PinTriesRow>(
    `SELECT guesses.person_id,
       CAST(SUM(CASE WHEN guesses.kind = 'pin' AND guesses.place = $1 THEN guesses.count ELSE 0 END) AS BIGINT) AS count,
       MAX(CASE WHEN guesses.kind = 'pin' AND guesses.place = $1 THEN guesses.at_ms ELSE 0 END) AS last_at_ms,
       CAST(SUM(CASE WHEN guesses.kind = 'pin' AND known_places.place IS NULL THEN guesses.count ELSE 0 END) AS BIGINT) AS elsewhere,
       (SELECT COUNT(*) FROM known_places AS here
        WHERE here.person_id = guesses.person_id AND here.place = $1) AS is_known,
       MAX(CASE WHEN guesses.kind = 'pin_day' THEN guesses.count ELSE 0 END) AS day_count,
       MAX(CASE WHEN guesses.kind = 'pin_day' THEN guesses.at_ms ELSE 0 END) AS day_since_ms
     FROM guesses LEFT JOIN known_places
       ON known_places.person_id = guesses.person_id AND known_places.place = guesses.place
     WHERE (guesses.kind = 'pin' OR (guesses.kind = 'pin_day' AND guesses.place = $1)) ${personId === null ? '' : 'AND guesses.person_id = $2'}
     GROUP BY guesses.person_id`,
    personId === null ? [terminalId] : [terminalId, personId],
  );
  return new Map(
    rows.map(({ personId, isKnown, dayCount, daySinceMs, ...tries }) => [
      personId,
      { ...tries, isKnown: isKnown === 1, ofDay: { count: dayCount, sinceMs: daySinceMs } },
    ]),
  );
}

async function save(sql: Sql, guesses: Guesses): Promise<void> {
  const onConflict =
    'ON CONFLICT (person_id, kind, place) DO UPDATE SET count = excluded.count, at_ms = excluded.at_ms';
  await insertRows(sql, { table: 'guesses', onConflict }, [{ ...guesses }]);
}

/** Subtracts a right code from the count at its place. The caller has locked the person. */
export async function uncountCode(sql: Sql, personId: string, countedAt: string): Promise<void> {
  await sql.run(
    `UPDATE guesses SET count = count - 1 WHERE person_id = $1 AND kind = 'code' AND place = $2 AND count > 0`,
    [personId, countedAt],
  );
}

/** Removes the counts of a PIN that is replaced, because the new PIN must be guessed anew. The caller has locked the person. */
export async function forgetPins(sql: Sql, personId: string): Promise<void> {
  await sql.run(`DELETE FROM guesses WHERE person_id = $1 AND kind IN ('pin', 'pin_day')`, [personId]);
}

/** Stores a known place; only for a complete sign-in with all factors. The caller has locked the person. */
export async function learnPlace(sql: Sql, at: PlaceOfPerson, nowMs: number): Promise<void> {
  const onConflict = 'ON CONFLICT (person_id, place) DO UPDATE SET last_at_ms = excluded.last_at_ms';
  await insertRows(sql, { table: 'known_places', onConflict }, [{ ...at, lastAtMs: nowMs }]);
  await sql.run(
    `DELETE FROM known_places WHERE person_id = $1 AND place NOT IN (
       SELECT place FROM known_places WHERE person_id = $1 ORDER BY last_at_ms DESC, place LIMIT $2)`,
    [at.personId, KNOWN_PLACES_MAX],
  );
}

/** Removes the known places: somebody else may have signed in there with the former password. The caller has locked the person. */
export async function forgetPlaces(sql: Sql, personId: string): Promise<void> {
  await sql.run('DELETE FROM known_places WHERE person_id = $1', [personId]);
}
