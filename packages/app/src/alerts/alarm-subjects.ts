import {
  type AlertChange,
  evaluateAlerts,
  nextCheckAtMs,
  noChangeBand,
} from '@granary/core/alerts/evaluation';
import { evaluateFieldAlerts, nextFieldCheckAtMs } from '@granary/core/alerts/field-rules';
import type { WeightRange } from '@granary/core/alerts/level-rules';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import { delaysOf } from '@granary/core/alerts/monitoring';
import type { Observed } from '@granary/core/alerts/observation';
import type { Sql } from '@granary/store/sql';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import { readDeviceSnapshots } from '../devices/device-snapshots.ts';
import { newId } from '../ids.ts';
import { type FieldDevice, fieldDevicesAmong } from './field-facts.ts';
import { type Silo, silosAmong } from './silo-facts.ts';

/** What an evaluation asks of a device, whatever its kind. `open` are the alerts that are not resolved. */
export interface AlarmSubject {
  readonly device: StoredDevice;
  changes(open: readonly AlertState[], observed: Observed, nowMs: number): AlertChange[];
  /** When time alone could change its alerts; `null` for never. */
  nextCheckAtMs(open: readonly AlertState[], observed: Observed, nowMs: number): number | null;
  noChangeBand(open: readonly AlertState[]): WeightRange | null;
}

export async function readWatchedDevices(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<AlarmSubject[]> {
  const known = await readDeviceSnapshots(sql, deviceNos);
  const silos = await silosAmong(sql, known, onUnreadable);
  const fieldDevices = await fieldDevicesAmong(sql, known, onUnreadable);
  return [...silos.map(watchedSilo), ...fieldDevices.map(watchedFieldDevice)];
}

const newAlertIdAt = (nowMs: number) => () => newId('al', nowMs);

function watchedSilo({ device, facts }: Silo): AlarmSubject {
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
    noChangeBand: (open) => noChangeBand(configuration, open, capacityKg),
  };
}

/** It moves, so every reading may take it over its fence: none is quiet. */
function watchedFieldDevice({ device, facts }: FieldDevice): AlarmSubject {
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
    noChangeBand: () => null,
  };
}
