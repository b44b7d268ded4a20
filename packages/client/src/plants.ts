import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { isPlant, type NewPlant, type Plant, readNewPlant, storedPlantJson } from '@granary/contract/plants';
import { callOf } from './derive.ts';
import { ApiError } from './failures.ts';
import type { Transport } from './transport.ts';

/** The plant store sample; its ids have 64 bits, so they are bigints. */
export interface PlantsClient {
  create(plant: NewPlant): Promise<Plant>;
  get(id: bigint): Promise<NewPlant>;
}

export function plantsClient(transport: Transport, roots: GroupRoots): PlantsClient {
  const { create, get } = endpoints.plants;
  return {
    create: async (plant) => {
      const { method, path } = callOf(create, roots, []);
      return JSON.parse(await transport.text({ method, path, json: storedPlantJson(plant) }));
    },
    get: async (id) => {
      const read = readNewPlant(await transport.text(callOf(get, roots, [id])));
      if (isPlant(read)) return read;
      throw new ApiError({
        status: 200,
        code: 'unexpected_answer',
        message: 'answered something else than a plant',
      });
    },
  };
}
