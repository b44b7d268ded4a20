import type { SimulatedProfile } from './profile.ts';
import { rover } from './rover.ts';
import { siloScale } from './silo-scale.ts';
import { weatherStation } from './weather-station.ts';

/** Every profile that the farm simulates, in the order in which its devices are registered and listed. */
const REGISTRY = {
  siloScale,
  rover,
  weatherStation,
};

export const SIMULATED_PROFILES: readonly SimulatedProfile[] = Object.values(REGISTRY);
