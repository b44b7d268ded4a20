import { type AlertChange, evaluateAlerts, nextCheckAtMs, quietBand } from '@granary/core/alert-evaluation';
import type { AlertState } from '@granary/core/alerts';
import { evaluateFieldAlerts, nextFieldCheckAtMs } from '@granary/core/field-alert-rules';
import type { WeightRange } from '@granary/core/level-rules';
import { delaysOf } from '@granary/core/monitoring';
import type { Observed } from '@granary/core/observation';
import type { StoredDevice } from './devices.ts';
import { type FieldDevice, fieldDevicesAmong } from './field-devices.ts';
import { newId } from './ids.ts';
import { readKnownDevices } from './known-devices.ts';
import type { OnUnreadable } from './set-aside.ts';
import { type Silo, silosAmong } from './silos.ts';
import type { Sql } from './sql.ts';

/** What an evaluation asks of a device, whatever its kind. `open` are the alerts that are not resolved. */
export interface WatchedDevice {
  readonly device: StoredDevice;
  changes(open: readonly AlertState[], observed: Observed, nowMs: number): AlertChange[];
  /** When time alone could change its alerts; `null` for never. */
  nextCheckAtMs(open: readonly AlertState[], observed: Observed, nowMs: number): number | null;
  quietBand(open: readonly AlertState[]): WeightRange | null;
}

export async function readWatchedDevices(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<WatchedDevice[]> {
  const known = await readKnownDevices(sql, deviceNos);
  const silos = await silosAmong(sql, known, onUnreadable);
  const fieldDevices = await fieldDevicesAmong(sql, known, onUnreadable);
  return [...silos.map(watchedSilo), ...fieldDevices.map(watchedFieldDevice)];
}

const newAlertIdAt = (nowMs: number) => () => newId('al', nowMs);

function watchedSilo({ device, facts }: Silo): WatchedDevice {
  const { configuration, capacityKg } = facts;
  const delays = delaysOf(configuration.alarms);
  const observedFacts = ({ observedSinceMs, onlineSinceMs }: Observed) => ({
    ...facts,
    observedSinceMs,
    onlineSinceMs,
  });
  return {
    device,
    changes: (open, observed, nowMs) =>
      evaluateAlerts(observedFacts(observed), open, { delays, newAlertId: newAlertIdAt(nowMs) }, nowMs),
    nextCheckAtMs: (open, observed, nowMs) => nextCheckAtMs(observedFacts(observed), open, delays, nowMs),
    quietBand: (open) => quietBand(configuration, open, capacityKg),
  };
}

/** It moves, so every reading may take it over its fence: none is quiet. */
function watchedFieldDevice({ device, facts }: FieldDevice): WatchedDevice {
  const delays = delaysOf(facts.configuration.alarms);
  const observedFacts = ({ observedSinceMs, onlineSinceMs }: Observed) => ({
    ...facts,
    observedSinceMs,
    onlineSinceMs,
  });
  return {
    device,
    changes: (open, observed, nowMs) =>
      evaluateFieldAlerts(observedFacts(observed), open, { delays, newAlertId: newAlertIdAt(nowMs) }, nowMs),
    nextCheckAtMs: (open, observed, nowMs) =>
      nextFieldCheckAtMs(observedFacts(observed), open, delays, nowMs),
    quietBand: () => null,
  };
}
