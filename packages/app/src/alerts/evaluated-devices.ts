import { type AlertChange, evaluateAlerts, nextEvaluationAtMs } from '@granary/core/alerts/evaluation';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import { delaysOf } from '@granary/core/alerts/monitoring';
import { type NoChangeRanges, noChangeRanges } from '@granary/core/alerts/no-change-ranges';
import type { Observed } from '@granary/core/alerts/observation';
import { thresholdValueConditions } from '@granary/core/alerts/rules/threshold-rules';
import { profileOf } from '@granary/core/profiles/profiles';
import type { Sql } from '@granary/store/sql';
import type { StoredDevice } from '@granary/store/tables/devices';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import { type DeviceWithFacts, readDeviceFacts } from '../devices/device-facts.ts';
import { newId } from '../ids.ts';

/** What an evaluation asks of a device, whatever its profile. `open` are the alerts that are not resolved. */
export interface EvaluatedDevice {
  readonly device: StoredDevice;
  changes(open: readonly AlertState[], observed: Observed, nowMs: number): AlertChange[];
  /** When the alerts of the device can change without a message; `null` for never. */
  nextEvaluationAtMs(open: readonly AlertState[], observed: Observed, nowMs: number): number | null;
  noChangeRanges(open: readonly AlertState[]): NoChangeRanges | null;
}

export async function readEvaluatedDevices(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<EvaluatedDevice[]> {
  return (await readDeviceFacts(sql, deviceNos, onUnreadable)).map(evaluatedDevice);
}

function evaluatedDevice({ device, facts }: DeviceWithFacts): EvaluatedDevice {
  const profile = profileOf(device.profile);
  const delays = delaysOf(facts.configuration.alarms);
  const observedFacts = ({ observedSinceMs, onlineSinceMs, dueAtMs }: Observed) => ({
    ...facts,
    observedSinceMs,
    onlineSinceMs,
    dueAtMs,
  });
  return {
    device,
    changes: (open, observed, nowMs) => {
      const newAlertId = () => newId('al', nowMs);
      return evaluateAlerts(profile, observedFacts(observed), open, { delays, newAlertId }, nowMs);
    },
    nextEvaluationAtMs: (open, observed, nowMs) =>
      nextEvaluationAtMs(profile, observedFacts(observed), open, delays, nowMs),
    noChangeRanges: (open) => {
      const conditions = profile.valueConditions(facts);
      if (conditions === null) return null;
      return noChangeRanges([...conditions, ...thresholdValueConditions(facts)], open);
    },
  };
}
