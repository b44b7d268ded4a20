import { isPlant, type NewPlant, type Plant, readNewPlant, storedPlantJson } from '@granary/contract/plants';
import { ApiError } from './failures.ts';
import type { Transport } from './transport.ts';

/** The plant store sample. Ids have 64 bits, which only a bigint holds. */
export interface PlantsClient {
  create(plant: NewPlant): Promise<Plant>;
  get(id: bigint): Promise<NewPlant>;
}

export function plantsClient(transport: Transport, sandboxPath: string): PlantsClient {
  const root = `${sandboxPath}/plants`;
  return {
    create: async (plant) =>
      JSON.parse(await transport.text({ method: 'POST', path: root, json: storedPlantJson(plant) })),
    get: async (id) => {
      const read = readNewPlant(await transport.text({ method: 'GET', path: `${root}/${id}` }));
      if (isPlant(read)) return read;
      throw new ApiError({
        status: 200,
        code: 'unexpected_answer',
        message: 'answered something else than a plant',
      });
    },
  };
}
