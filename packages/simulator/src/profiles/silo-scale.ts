import { MINUTE_MS } from '@granary/contract/time';
import { Device } from '../device/device.ts';
import { createSiloReadingFault, SILO_FAULTS, type SiloFault } from '../silo/faults.ts';
import { INITIAL_MEMORY, isMemory } from '../silo/machine.ts';
import { readingAt } from '../silo/scale.ts';
import { SiloController } from '../silo/silo-controller.ts';
import { SILOS, type Silo } from '../silo/silos.ts';
import { type RunOptions, registrationOf, simulatedProfile } from './profile.ts';

export const siloScale = simulatedProfile({
  title: 'silos',
  group: 'silo',
  units: SILOS,
  faults: SILO_FAULTS,
  register: (client, silo) =>
    client.devices.silo.register({
      ...registrationOf(silo),
      model: silo.model.name,
      capacity: { max: silo.capacityKg, unit: 'kg' },
    }),
  history: {
    spacingMs: 5 * MINUTE_MS,
    readingAt,
    dailyPoints: (client, { id }, query) => client.telemetry.history(id, { ...query, sensor: 'level' }),
  },
  create: createSiloDevice,
});

/** A silo with a scale and a gate. */
export function createSiloDevice(silo: Silo, { recall, keep, onTrouble, ...options }: RunOptions<SiloFault>) {
  const memory = recall(isMemory) ?? INITIAL_MEMORY;
  return new Device(options, {
    createReadingFault: createSiloReadingFault,
    createModel: ({ nowMs, ...environment }) =>
      new SiloController({ ...environment, silo, memory, keep, onTrouble }, nowMs),
  });
}
