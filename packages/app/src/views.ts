import type { Actor } from '@granary/contract/audit';
import { Refusal } from '@granary/contract/errors';
import { type Preferences, VIEWS_PER_KEY_MAX, type ViewPatch } from '@granary/contract/views';
import { hasScope, isUnlimited, limitsWith } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import { callerNow, requireOwn, requireRight } from './rights.ts';
import type { Transaction } from './transaction.ts';

export interface StoredView {
  readonly viewId: string;
  /** The id of the key to which the view belongs. */
  readonly keyId: string;
  readonly name: string;
  readonly address: string;
  readonly isShared: boolean;
  readonly createdBy: Actor | null;
  readonly updatedAtMs: number;
}

interface Row extends Omit<StoredView, 'isShared' | 'createdBy'> {
  readonly shared: number;
  readonly createdBy: string | null;
}

const SELECT = 'SELECT view_id, key_id, name, address, shared, created_by, updated_at_ms FROM views';

const toView = ({ shared, createdBy, ...row }: Row): StoredView => ({
  ...row,
  isShared: shared === 1,
  createdBy: createdBy === null ? null : JSON.parse(createdBy),
});

async function find(sql: Sql, viewId: string): Promise<StoredView | undefined> {
  const [row] = await sql.query<Row>(`${SELECT} WHERE view_id = $1`, [viewId]);
  return row && toView(row);
}

export interface ViewPage {
  readonly keyId: string;
  readonly afterViewId: string | null;
  readonly limit: number;
}

export const reads = {
  find,

  /** Lists the views of the key and the shared ones, in the order in which they were created. */
  async list(sql: Sql, { keyId, afterViewId, limit }: ViewPage): Promise<StoredView[]> {
    const rows = await sql.query<Row>(
      `${SELECT} WHERE (key_id = $1 OR shared = 1) AND view_id > $2 ORDER BY view_id LIMIT $3`,
      [keyId, afterViewId ?? '', limit],
    );
    return rows.map(toView);
  },

  async preferences(sql: Sql, keyId: string): Promise<Preferences> {
    const [row] = await sql.query<{ units: string }>('SELECT units FROM preferences WHERE key_id = $1', [
      keyId,
    ]);
    return { units: row === undefined ? null : JSON.parse(row.units) };
  },
};

export const writes = {
  async create(tx: Transaction, view: Omit<StoredView, 'createdBy'>): Promise<Committed<StoredView>> {
    await requireOwn(tx, view.keyId);
    if (view.isShared) await requireSharing(tx);
    const { isShared, ...row } = view;
    const [own] = await tx.sql.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM views WHERE key_id = $1',
      [view.keyId],
    );
    if ((own?.count ?? 0) >= VIEWS_PER_KEY_MAX) {
      throw new Refusal('view_limit_reached', `this key has ${VIEWS_PER_KEY_MAX} views already`);
    }
    const createdBy = tx.actor === null ? null : JSON.stringify(tx.actor);
    await insertRows(tx.sql, { table: 'views' }, [{ ...row, shared: Number(isShared), createdBy }]);
    return committed({ ...view, createdBy: tx.actor });
  },

  async change(
    tx: Transaction,
    viewId: string,
    { shared, ...patch }: ViewPatch,
    nowMs: number,
  ): Promise<Committed<StoredView>> {
    const view = await lockOwn(tx, viewId);
    if (shared === true) await requireSharing(tx);
    const sharing = shared === undefined ? {} : { shared: Number(shared) };
    await updateRows(tx.sql, 'views', { viewId }, { ...patch, ...sharing, updatedAtMs: nowMs });
    return committed((await find(tx.sql, viewId)) ?? view);
  },

  async remove(tx: Transaction, viewId: string): Promise<Committed<StoredView>> {
    const view = await lockOwn(tx, viewId);
    await tx.sql.run('DELETE FROM views WHERE view_id = $1', [viewId]);
    return committed(view);
  },

  async changePreferences(
    tx: Transaction,
    keyId: string,
    { units }: Preferences,
    nowMs: number,
  ): Promise<Committed<Preferences>> {
    await requireOwn(tx, keyId);
    const row = { keyId, units: JSON.stringify(units), updatedAtMs: nowMs };
    const onConflict =
      'ON CONFLICT (key_id) DO UPDATE SET units = excluded.units, updated_at_ms = excluded.updated_at_ms';
    await insertRows(tx.sql, { table: 'preferences', onConflict }, [row]);
    return committed({ units });
  },
};

/** Locks a view of the caller. Refuses a shared view that the caller may not change; a view of another key is not found. */
async function lockOwn(tx: Transaction, viewId: string): Promise<StoredView> {
  await tx.sql.query(`SELECT view_id FROM views WHERE view_id = $1 ${tx.sql.forUpdate}`, [viewId]);
  const view = await find(tx.sql, viewId);
  const caller = await callerNow(tx);
  const isOwn = caller === null || view?.keyId === caller.keyId;
  if (view === undefined || (!isOwn && !view.isShared)) {
    throw new Refusal('view_not_found', `there is no view ${quoted(viewId)}, or it is that of another key`);
  }
  if (isOwn || isUnlimited(limitsWith(caller, 'admin'))) return view;
  throw new Refusal('forbidden', 'only the key that made a view, or an admin, may change it');
}

/** Refuses a key that may only read, because everybody sees a shared view. */
const requireSharing = (tx: Transaction): Promise<void> =>
  requireRight(
    tx,
    (caller) => hasScope(caller, 'operate') || hasScope(caller, 'admin'),
    () => new Refusal('forbidden', 'this key may keep views, but not share them: it needs the scope operate'),
  );

/** Gives the report schedules and views of a key to the key that replaces it, and its units if the new key has none. */
export async function moveViews(sql: Sql, fromKeyId: string, toKeyId: string): Promise<void> {
  await sql.run('UPDATE report_schedules SET key_id = $2 WHERE key_id = $1', [fromKeyId, toKeyId]);
  await sql.run('UPDATE views SET key_id = $2 WHERE key_id = $1', [fromKeyId, toKeyId]);
  await sql.run(
    `UPDATE preferences SET key_id = $2
     WHERE key_id = $1 AND NOT EXISTS (SELECT 1 FROM preferences AS own WHERE own.key_id = $2)`,
    [fromKeyId, toKeyId],
  );
}

/** Removes the views that nobody can see any more; shared views stay. */
export async function removeOwnViews(sql: Sql, keyId: string): Promise<void> {
  await sql.run('DELETE FROM views WHERE key_id = $1 AND shared = 0', [keyId]);
  await sql.run('DELETE FROM preferences WHERE key_id = $1', [keyId]);
}
