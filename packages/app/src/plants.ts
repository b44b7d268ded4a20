import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';
import { callerNow } from './rights.ts';
import type { Transaction } from './transaction.ts';

export interface StoredPlant {
  /** A 64 bit integer in decimal digits, because a JavaScript number would lose some. */
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
  readonly createdAtMs: number;
}

export interface PlantPage {
  readonly after: string | null;
  readonly limit: number;
}

interface PlantRow extends Pick<StoredPlant, 'id' | 'createdAtMs'> {
  readonly body: string;
}

// Numbers are passed as text, in which both engines keep every digit.
const SELECT_PLANT = 'SELECT CAST(id AS TEXT) AS id, body, created_at_ms FROM plants';
const ID = 'CAST($1 AS BIGINT)';

function toPlant({ id, body, createdAtMs }: PlantRow): StoredPlant {
  const { name, tag } = JSON.parse(body);
  return { id, name, tag, createdAtMs };
}

export async function findPlant(sql: Sql, id: string): Promise<StoredPlant | undefined> {
  const [row] = await sql.query<PlantRow>(`${SELECT_PLANT} WHERE id = ${ID}`, [id]);
  return row && toPlant(row);
}

/** Lists the plants in the order of their ids. */
export async function listPlants(sql: Sql, { after, limit }: PlantPage): Promise<StoredPlant[]> {
  const rows =
    after === null
      ? await sql.query<PlantRow>(`${SELECT_PLANT} ORDER BY plants.id LIMIT $1`, [limit])
      : await sql.query<PlantRow>(`${SELECT_PLANT} WHERE id > ${ID} ORDER BY plants.id LIMIT $2`, [
          after,
          limit,
        ]);
  return rows.map(toPlant);
}

/** Inserts a plant; returns whether its id was new. */
export async function insertPlant(sql: Sql, { id, name, tag, createdAtMs }: StoredPlant): Promise<boolean> {
  // The body is JSON, in which PostgreSQL can store characters that a text column cannot contain.
  const inserted = await sql.run(
    `INSERT INTO plants (id, body, created_at_ms) VALUES (${ID}, $2, $3) ON CONFLICT (id) DO NOTHING`,
    [id, JSON.stringify({ name, tag }), createdAtMs],
  );
  return inserted === 1;
}

export interface NewPlant extends Omit<StoredPlant, 'createdAtMs'> {
  readonly nowMs: number;
}

export const reads = {
  find: (sql: Sql, id: string) => findPlant(sql, id),
  list: (sql: Sql, page: PlantPage) => listPlants(sql, page),
};

export const writes = {
  async create(tx: Transaction, { id, name, tag, nowMs }: NewPlant): Promise<Committed<StoredPlant>> {
    const plant = { id, name, tag, createdAtMs: nowMs };
    if (!(await insertPlant(tx.sql, plant))) {
      throw new Refusal('plant_exists', `plant ${id} exists already`, [issueOf('/id', sentence('is_taken'))]);
    }
    await callerNow(tx);
    return committed(plant);
  },
};
