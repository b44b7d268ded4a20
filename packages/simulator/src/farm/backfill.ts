import type { Client } from '@granary/client/client';
import { MINUTE_MS } from '@granary/contract/time';
import type { FieldUnit } from '../field/fleet.ts';
import { measure } from '../field/vehicle/instruments.ts';
import { bodyAtHome } from '../field/vehicle/rover-body.ts';
import { readingAt } from '../silo/scale.ts';
import type { Silo } from './farm.ts';
import type { Past } from './missing-history.ts';

const SILO_SPACING_MS = 5 * MINUTE_MS;
const FIELD_SPACING_MS = 15 * MINUTE_MS;

export const siloPast = (client: Client, silo: Silo): Past => ({
  spacingMs: SILO_SPACING_MS,
  readingAt: (timeMs) => readingAt(silo, timeMs),
  dailyPoints: (query) => client.telemetry.history(silo.id, { ...query, sensor: 'level' }),
});

/** Nobody asked anything of it, so it stood at home. */
export const fieldPast = (client: Client, unit: FieldUnit): Past => ({
  spacingMs: FIELD_SPACING_MS,
  readingAt: (timeMs) => measure(unit, bodyAtHome(unit.ground, timeMs)),
  dailyPoints: (query) => client.fieldReadings.history(unit.id, { ...query, sensor: 'battery_level' }),
});
