import { type AlertChange, evaluateAlerts, nextCheckAtMs, quietBand } from '@granary/core/alert-evaluation';
import { type AlertState, DEFAULT_DELAYS } from '@granary/core/alerts';
import { evaluateFieldAlerts, nextFieldCheckAtMs } from '@granary/core/field-alert-rules';
import type { WeightRange } from '@granary/core/level-rules';
import type { StoredDevice } from './devices.ts';
import { type FieldDevice, fieldDevicesAmong } from './field-devices.ts';
import { newId } from './ids.ts';
import { readKnownDevices } from './known-devices.ts';
import { type Silo, silosAmong } from './silos.ts';
import type { Sql } from './sql.ts';

/** What an evaluation asks of a device, whatever its kind. `open` are the alerts that are not resolved. */
export interface WatchedDevice {
  readonly device: StoredDevice;
  changes(open: readonly AlertState[], nowMs: number): AlertChange[];
  /** When time alone could change its alerts; `null` for never. */
  nextCheckAtMs(open: readonly AlertState[], nowMs: number): number | null;
  quietBand(open: readonly AlertState[]): WeightRange | null;
}

export async function readWatchedDevices(sql: Sql, deviceNos: readonly number[]): Promise<WatchedDevice[]> {
  const known = await readKnownDevices(sql, deviceNos);
  const silos = await silosAmong(sql, known);
  const fieldDevices = await fieldDevicesAmong(sql, known);
  return [...silos.map(watchedSilo), ...fieldDevices.map(watchedFieldDevice)];
}

const settingsAt = (nowMs: number) => ({ delays: DEFAULT_DELAYS, newAlertId: () => newId('al', nowMs) });

const watchedSilo = ({ device, facts }: Silo): WatchedDevice => ({
  device,
  changes: (open, nowMs) => evaluateAlerts(facts, open, settingsAt(nowMs), nowMs),
  nextCheckAtMs: (open, nowMs) => nextCheckAtMs(facts, open, DEFAULT_DELAYS, nowMs),
  quietBand: (open) => quietBand(facts.configuration, open, facts.capacityKg),
});

/** It moves, so every reading may take it over its fence: none is quiet. */
const watchedFieldDevice = ({ device, facts }: FieldDevice): WatchedDevice => ({
  device,
  changes: (open, nowMs) => evaluateFieldAlerts(facts, open, settingsAt(nowMs), nowMs),
  nextCheckAtMs: (open, nowMs) => nextFieldCheckAtMs(facts, open, DEFAULT_DELAYS, nowMs),
  quietBand: () => null,
});
