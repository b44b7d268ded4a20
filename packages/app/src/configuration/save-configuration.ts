import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument, newestRemovedVersion } from '@granary/core/configuration/versions';
import type { Effect } from '../effects.ts';
import type { NewEvent } from '../events/event-rows.ts';
import { saveReportingTimes } from '../presence-rows.ts';
import type { Transaction } from '../transaction.ts';
import { insertVersions, removeVersionsUpTo, saveConfiguration, timeZoneOf } from './configuration-rows.ts';

export interface ConfigurationChange {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly configuration: DeviceConfiguration;
  readonly version: number;
}

/**
 * Writes the next version of a configuration. The caller evaluates the alerts of the device afterwards: this write locks
 * presence, like ingest, and the evaluation row is locked after presence. The caller logs the event as its last step.
 */
export async function saveChangedConfiguration(
  tx: Transaction,
  { deviceNo, deviceId, configuration, version }: ConfigurationChange,
  nowMs: number,
): Promise<{ readonly changed: NewEvent; readonly send: Effect }> {
  const body = configurationDocument(configuration);
  await saveConfiguration(tx.sql, deviceNo, { version, timeZone: timeZoneOf(configuration), body });
  // The versions keep what was sent to the device, when, and by whom it was changed.
  await insertVersions(tx, [{ deviceNo, version, atMs: nowMs, body }]);
  const removed = newestRemovedVersion(version);
  if (removed > 0) await removeVersionsUpTo(tx.sql, deviceNo, removed);
  await saveReportingTimes(tx.sql, deviceNo, reportingTimes(configuration.reporting));
  return {
    changed: { type: 'configuration.changed', deviceNo, atMs: nowMs, data: configuration },
    // A connected device receives it now, any other at its next connection.
    send: { kind: 'send_configuration', deviceId, configuration, version },
  };
}
