import type { SimulatedProfile } from './profile.ts';
import { rover } from './rover.ts';
import { siloScale } from './silo-scale.ts';
import { weatherStation } from './weather-station.ts';

/** Every profile that the farm simulates, in the order in which its devices are registered and listed. */
export const SIMULATED_PROFILES: readonly SimulatedProfile[] = [siloScale, rover, weatherStation];
