import { ALARM_HELP_MAX, type AlarmHelpTexts } from '@granary/contract/alarm-help';
import type { AlertType } from '@granary/contract/alerts';
import type { Actor } from '@granary/contract/audit';
import { Refusal } from '@granary/contract/errors';
import { hasFacility, isUnlimited, type Limits } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { limitConditions, Parameters } from './conditions.ts';
import { type Committed, committed } from './effects.ts';
import { limitsOf, refuseLimited } from './rights.ts';
import type { Transaction } from './transaction.ts';

/** The alerts that a text is about: those of a type, a facility and a rule. An empty facility or rule means all of them. */
export interface HelpPlace {
  readonly alertType: AlertType;
  readonly facility: string;
  readonly rule: string;
}

export interface StoredHelp extends HelpPlace, AlarmHelpTexts {
  readonly helpNo: number;
  readonly updatedAtMs: number;
  readonly updatedBy: Actor | null;
}

interface Row extends Omit<StoredHelp, 'updatedBy'> {
  readonly updatedBy: string | null;
}

const SELECT = `SELECT help_no, alert_type, facility, rule, cause, consequence, action, updated_at_ms, updated_by
  FROM alarm_help`;
const OF_PLACE = 'alert_type = $1 AND facility = $2 AND rule = $3';

const toHelp = ({ updatedBy, ...row }: Row): StoredHelp => ({
  ...row,
  updatedBy: updatedBy === null ? null : JSON.parse(updatedBy),
});

async function find(sql: Sql, { alertType, facility, rule }: HelpPlace): Promise<StoredHelp | undefined> {
  const [row] = await sql.query<Row>(`${SELECT} WHERE ${OF_PLACE}`, [alertType, facility, rule]);
  return row && toHelp(row);
}

export interface HelpPage {
  readonly limits: Limits;
  readonly afterNo: number;
  readonly limit: number;
}

export const reads = {
  /** Lists the texts; those of facilities in which the key has no device are left out. */
  async list(sql: Sql, { limits, afterNo, limit }: HelpPage): Promise<StoredHelp[]> {
    const parameters = new Parameters();
    const { bind } = parameters;
    const conditions = [`help_no > ${bind(afterNo)}`];
    if (!isUnlimited(limits)) {
      const ofDevice = limitConditions(sql, limits, parameters).join(' AND ');
      conditions.push(
        `(facility = '' OR EXISTS (SELECT 1 FROM devices WHERE devices.facility = alarm_help.facility AND ${ofDevice}))`,
      );
    }
    const rows = await sql.query<Row>(
      `${SELECT} WHERE ${conditions.join(' AND ')} ORDER BY help_no LIMIT ${bind(limit)}`,
      parameters.values,
    );
    return rows.map(toHelp);
  },
};

export const writes = {
  async put(
    tx: Transaction,
    place: HelpPlace,
    help: AlarmHelpTexts,
    nowMs: number,
  ): Promise<Committed<StoredHelp>> {
    await requirePlace(tx, place);
    const [all] = await tx.sql.query<{ count: number }>('SELECT COUNT(*) AS count FROM alarm_help');
    if ((all?.count ?? 0) >= ALARM_HELP_MAX && (await find(tx.sql, place)) === undefined) {
      throw new Refusal('alarm_help_limit_reached', `there are ${ALARM_HELP_MAX} texts already`);
    }
    const updatedBy = tx.actor === null ? null : JSON.stringify(tx.actor);
    const onConflict = `ON CONFLICT (alert_type, facility, rule) DO UPDATE SET cause = excluded.cause,
      consequence = excluded.consequence, action = excluded.action, updated_at_ms = excluded.updated_at_ms,
      updated_by = excluded.updated_by`;
    await insertRows(tx.sql, { table: 'alarm_help', onConflict }, [
      { ...place, ...help, updatedAtMs: nowMs, updatedBy },
    ]);
    const stored = await find(tx.sql, place);
    if (stored === undefined) throw new Error('a text that was just stored is missing');
    return committed(stored);
  },

  /** Returns `undefined` if there is no such text. */
  async remove(tx: Transaction, place: HelpPlace): Promise<Committed<StoredHelp | undefined>> {
    await requirePlace(tx, place);
    const { alertType, facility, rule } = place;
    const help = await find(tx.sql, place);
    await tx.sql.run(`DELETE FROM alarm_help WHERE ${OF_PLACE}`, [alertType, facility, rule]);
    return committed(help);
  },
};

/** A limited key may only write about its own facilities. */
async function requirePlace(tx: Transaction, { facility }: HelpPlace): Promise<void> {
  if (facility === '') await refuseLimited(tx, 'write about the alerts of every facility');
  else if (!hasFacility(await limitsOf(tx), facility)) {
    throw new Refusal('forbidden', `this key may not write about the facility ${quoted(facility)}`);
  }
}
