import { MINUTE_MS } from '@granary/contract/time';
import { Device } from '../device/device.ts';
import { createSiloReadingFault, SILO_FAULTS, type SiloFault } from '../silo/faults.ts';
import { INITIAL_MEMORY, isMemory } from '../silo/machine.ts';
import { readingAt } from '../silo/scale.ts';
import { bodyAt } from '../silo/silo-body.ts';
import { SiloController } from '../silo/silo-controller.ts';
import { SILOS, type Silo } from '../silo/silos.ts';
import { configureStock, renewStock } from '../silo/stock-plan.ts';
import { addCableRules, addMissingCable, CABLE_SENSORS, measureCable } from '../silo/temperature-cable.ts';
import { type RunOptions, registrationOf, simulatedProfile, type UnitHistory } from './profile.ts';

/** This spacing is sufficient for past levels and refills, and needs half the work of the five minutes of stored history. */
const HISTORY_SPACING_MS = 10 * MINUTE_MS;

export const siloScale = simulatedProfile({
  title: 'silos',
  group: 'silo',
  units: SILOS,
  faults: SILO_FAULTS,
  register: async (client, silo, nowMs) => {
    const registered = await client.devices.silo.register({
      ...registrationOf(silo),
      model: silo.model.name,
      capacity: { max: silo.capacityKg, unit: 'kg' },
      ...(silo.hasCable ? { sensors: [...CABLE_SENSORS] } : {}),
    });
    if (silo.hasCable) await addCableRules(client, silo.id);
    await configureStock(client, silo, nowMs);
    return registered;
  },
  update: async (client, silo, nowMs) => {
    if (silo.hasCable) await addMissingCable(client, silo.id);
    await renewStock(client, silo, nowMs);
  },
  // The cable comes first, because the weights make the service examine the silo again.
  histories: (silo) => [
    ...(silo.hasCable ? [cableHistory(silo)] : []),
    {
      spacingMs: HISTORY_SPACING_MS,
      readingAt: (timeMs) => readingAt(silo, timeMs),
      dailyPoints: (client, query) => client.telemetry.history(silo.id, { ...query, sensor: 'level' }),
    },
  ],
  create: createSiloDevice,
});

/** The history of the cable has few readings, because grain changes slowly. */
const cableHistory = (silo: Silo): UnitHistory => ({
  spacingMs: 30 * MINUTE_MS,
  readingAt: (timeMs) => cableReadingAt(silo, timeMs),
  dailyPoints: (client, query) => client.telemetry.history(silo.id, { ...query, sensor: 'temp_1' }),
});

const cableReadingAt = (silo: Silo, timeMs: number) => ({
  ts: timeMs,
  sensors: measureCable(silo, bodyAt(silo, timeMs)),
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
