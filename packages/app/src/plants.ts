import { Refusal } from '@granary/contract/errors';
import type { Sql } from '@granary/store/sql';
import {
  findPlant,
  insertPlant,
  listPlants,
  type PlantPage,
  type StoredPlant,
} from '@granary/store/tables/plants';
import { type Committed, committed } from './effects.ts';

export interface NewPlant extends Omit<StoredPlant, 'createdAtMs'> {
  readonly nowMs: number;
}

export const reads = {
  find: (sql: Sql, id: string) => findPlant(sql, id),
  list: (sql: Sql, page: PlantPage) => listPlants(sql, page),
};

export const writes = {
  async create(sql: Sql, { id, name, tag, nowMs }: NewPlant): Promise<Committed<StoredPlant>> {
    const plant = { id, name, tag, createdAtMs: nowMs };
    if (!(await insertPlant(sql, plant))) {
      throw new Refusal('plant_exists', `plant ${id} exists already`, [{ path: '/id', message: 'is taken' }]);
    }
    return committed(plant);
  },
};
