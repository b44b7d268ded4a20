import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { reportingTimes } from '@granary/core/alerts/monitoring';
import { configurationDocument } from '@granary/core/configuration/versions';
import type { Sql } from '@granary/store/sql';
import { saveConfiguration } from '@granary/store/tables/configurations';
import type { NewEvent } from '@granary/store/tables/events';
import { saveReportingTimes } from '@granary/store/tables/presence';
import type { Effect } from '../effects.ts';
import { saveVersion } from './save-version.ts';

export interface ConfigurationChange {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly configuration: DeviceConfiguration;
  readonly version: number;
}

/**
 * Writes the next version of a configuration. The caller evaluates the alerts of the device after it, because this locks
 * presence, like ingest, and the evaluation row comes after presence. It logs the event as its last step.
 */
export async function saveChangedConfiguration(
  sql: Sql,
  { deviceNo, deviceId, configuration, version }: ConfigurationChange,
  nowMs: number,
): Promise<{ readonly changed: NewEvent; readonly send: Effect }> {
  const body = configurationDocument(configuration);
  await saveConfiguration(sql, deviceNo, { version, body });
  await saveVersion(sql, deviceNo, { version, atMs: nowMs, body });
  await saveReportingTimes(sql, deviceNo, reportingTimes(configuration.reporting));
  return {
    changed: { type: 'configuration.changed', deviceNo, atMs: nowMs, data: configuration },
    // A connected device receives it now, any other at its next connection.
    send: { kind: 'send_configuration', deviceId, configuration, version },
  };
}
