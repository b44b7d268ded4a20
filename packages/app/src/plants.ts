import { Refusal } from '@granary/contract/errors';
import { documentKind } from '@granary/core/documents/versioned';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed } from './effects.ts';

export interface StoredPlant {
  /** A whole number of 64 bits, in decimal digits: a JavaScript number would lose some. */
  readonly id: string;
  readonly name: string;
  readonly tag: string | null;
  readonly createdAtMs: number;
}

export interface NewPlant extends Omit<StoredPlant, 'createdAtMs'> {
  readonly nowMs: number;
}

export interface PlantPage {
  readonly after: string | null;
  readonly limit: number;
}

const PLANT_DOCUMENT = documentKind<Pick<StoredPlant, 'name' | 'tag'>>([], (content) => {
  const { name, tag } = content;
  if (typeof name !== 'string') throw new Error('no name');
  return { name, tag: typeof tag === 'string' ? tag : null };
});

type PlantRow = [id: string, body: string, createdAtMs: number];

// Numbers go in and out as text, in which both engines keep every digit.
const SELECT_PLANT = 'SELECT CAST(id AS TEXT), body, created_at_ms FROM plants';
const ID = 'CAST($1 AS BIGINT)';

function toPlant([id, body, createdAtMs]: PlantRow): StoredPlant {
  return { id, ...PLANT_DOCUMENT.read(body), createdAtMs };
}

export const reads = {
  async find(sql: Sql, id: string): Promise<StoredPlant | undefined> {
    const [row] = await sql.query<PlantRow>(`${SELECT_PLANT} WHERE id = ${ID}`, [id]);
    return row && toPlant(row);
  },

  /** In the order of their numbers. */
  async list(sql: Sql, { after, limit }: PlantPage): Promise<StoredPlant[]> {
    const rows =
      after === null
        ? await sql.query<PlantRow>(`${SELECT_PLANT} ORDER BY plants.id LIMIT $1`, [limit])
        : await sql.query<PlantRow>(`${SELECT_PLANT} WHERE id > ${ID} ORDER BY plants.id LIMIT $2`, [
            after,
            limit,
          ]);
    return rows.map(toPlant);
  },
};

export const writes = {
  async create(sql: Sql, { id, name, tag, nowMs }: NewPlant): Promise<Committed<StoredPlant>> {
    // As JSON, in which PostgreSQL also keeps the characters that its text cannot hold.
    const inserted = await sql.run(
      `INSERT INTO plants (id, body, created_at_ms) VALUES (${ID}, $2, $3) ON CONFLICT (id) DO NOTHING`,
      [id, PLANT_DOCUMENT.write({ name, tag }), nowMs],
    );
    if (inserted === 0) {
      throw new Refusal('plant_exists', `plant ${id} exists already`, [{ path: '/id', message: 'is taken' }]);
    }
    return committed({ id, name, tag, createdAtMs: nowMs });
  },
};
