import { MINUTE_MS } from '@granary/contract/time';
import { Device } from '../device/device.ts';
import { createReadingFault } from '../faults.ts';
import { FIELD_FAULTS, FieldController, type FieldFault } from '../field/field-controller.ts';
import { declaredConfiguration, FIELD_UNITS, type FieldUnit } from '../field/fleet.ts';
import { isFieldMemory } from '../field/memory.ts';
import { bodyAtHome } from '../field/vehicle/chassis.ts';
import { type FieldReading, measure } from '../field/vehicle/instruments.ts';
import { type RunOptions, registrationOf, simulatedProfile } from './profile.ts';

export const rover = simulatedProfile({
  title: 'rovers and drones',
  group: 'field',
  units: FIELD_UNITS,
  faults: FIELD_FAULTS,
  /** A new device also gets a configuration with its base, its geofence and its motion limits. */
  register: async (client, unit) => {
    const { field } = client.devices;
    const registered = await field.register({ ...registrationOf(unit), model: unit.chassis.name });
    await client.configuration.field.update(unit.id, declaredConfiguration(unit));
    return registered;
  },
  histories: (unit) => [
    {
      spacingMs: 15 * MINUTE_MS,
      /** Before the farm was started no command moved the device, so it stood at home. */
      readingAt: (timeMs) => measure(unit, bodyAtHome(unit.ground, timeMs)),
      dailyPoints: (client, query) =>
        client.fieldReadings.history(unit.id, { ...query, sensor: 'battery_level' }),
    },
  ],
  create: createFieldDevice,
});

/** A rover or a drone. */
export function createFieldDevice(
  unit: FieldUnit,
  { recall, keep, onTrouble, ...options }: RunOptions<FieldFault>,
) {
  const memory = recall(isFieldMemory);
  return new Device(options, {
    createReadingFault: createReadingFault<FieldReading>,
    createModel: ({ nowMs, ...environment }) =>
      new FieldController({ ...environment, unit, memory, keep, onTrouble }, nowMs),
  });
}
