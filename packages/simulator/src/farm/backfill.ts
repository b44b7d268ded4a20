import type { Client } from '@granary/client/client';
import { MINUTE_MS } from '@granary/contract/time';
import type { FieldUnit } from '../field/fleet.ts';
import { measure } from '../field/vehicle/instruments.ts';
import { bodyAtHome } from '../field/vehicle/rover-body.ts';
import { readingAt } from '../silo/scale.ts';
import type { Silo } from './farm.ts';
import type { BackfillSource } from './missing-history.ts';

const SILO_SPACING_MS = 5 * MINUTE_MS;
const FIELD_SPACING_MS = 15 * MINUTE_MS;

export const siloBackfill = (client: Client, silo: Silo): BackfillSource => ({
  spacingMs: SILO_SPACING_MS,
  readingAt: (timeMs) => readingAt(silo, timeMs),
  dailyPoints: (query) => client.telemetry.history(silo.id, { ...query, sensor: 'level' }),
});

/** Before the farm was started no command moved the device, so it stood at home. */
export const fieldBackfill = (client: Client, unit: FieldUnit): BackfillSource => ({
  spacingMs: FIELD_SPACING_MS,
  readingAt: (timeMs) => measure(unit, bodyAtHome(unit.ground, timeMs)),
  dailyPoints: (query) => client.fieldReadings.history(unit.id, { ...query, sensor: 'battery_level' }),
});
