import type { NewPlant } from './endpoints/plants.ts';

/** Writes the id as a JSON number with all its digits, which `JSON.stringify` cannot do. */
export const storedPlantJson = ({ id, ...plant }: NewPlant): string =>
  `{"id":${id},${JSON.stringify(plant).slice(1)}`;
