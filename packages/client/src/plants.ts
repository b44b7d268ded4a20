import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { type NewPlant, type Plant, plants, storedPlantJson } from '@granary/contract/endpoints/plants';
import { callOf } from './derive.ts';
import type { CallOptions } from './requests/call.ts';
import type { Transport } from './requests/transport.ts';

/** The plant store sample; its ids have 64 bits, so they are bigints. */
interface PlantsClient {
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>;
  get(id: bigint, options?: CallOptions): Promise<NewPlant>;
}

export function plantsClient(transport: Transport, roots: GroupRoots): PlantsClient {
  const { create, get } = plants;
  return {
    create: async (plant, options) => {
      const { body: _, ...call } = callOf(create, roots, [undefined, options]);
      return JSON.parse(await transport.text({ ...call, json: storedPlantJson(plant) }));
    },
    // The id of the answer has lost digits as a number, and it is the requested one.
    get: async (id, options) => ({
      ...JSON.parse(await transport.text(callOf(get, roots, [id, options]))),
      id,
    }),
  };
}
