import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { Refusal } from '@granary/contract/errors';
import {
  type ConfigurationPatch,
  type DeviceConfiguration,
  PROFILES,
} from '@granary/contract/profiles/profiles';
import { sentence } from '@granary/contract/sentences/codes';
import { ruleSensors } from '@granary/core/alerts/rules/threshold-rules';
import { refuseBadRules } from '@granary/core/configuration/rule-checks';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { profileOf } from '@granary/core/profiles/profiles';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { Sql } from '@granary/store/sql';
import { evaluateDevices } from '../alerts/evaluation.ts';
import { lockDevices } from '../alerts/evaluation-rows.ts';
import { findDevices } from '../device-rows.ts';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { saveMissionsWithoutBase } from '../missions/mission-rows.ts';
import { refuseOutside } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import {
  type ConfigurationRow,
  type ConfigurationVersionRow,
  findConfiguration,
  listVersions,
  lockConfiguration,
} from './configuration-rows.ts';
import { saveChangedConfiguration } from './save-configuration.ts';

export interface StoredConfiguration {
  readonly configuration: DeviceConfiguration;
  /** Increases by one with every change. */
  readonly version: number;
}

export const reads = {
  async get(sql: Sql, deviceNo: number): Promise<StoredConfiguration | undefined> {
    const found = await findConfiguration(sql, deviceNo);
    return found && { configuration: storedConfiguration(found.body), version: found.version };
  },

  /** Lists the versions, newest first. */
  versions: (
    sql: Sql,
    deviceNo: number,
    beforeVersion: number | null,
    limit: number,
  ): Promise<ConfigurationVersionRow[]> => listVersions(sql, deviceNo, beforeVersion, limit),
};

export const writes = {
  /**
   * Merges a patch into the stored configuration. With `ifVersion` this is done only if the configuration still has this
   * version. The alerts are evaluated in the same transaction.
   */
  async change(
    tx: Transaction,
    deviceNo: number,
    patch: ConfigurationPatch,
    nowMs: number,
    ifVersion?: number,
  ): Promise<Committed<StoredConfiguration>> {
    const current = await lockConfiguration(tx.sql, deviceNo);
    if (current === undefined) throw new Refusal('device_not_found', 'the device has no configuration');
    if (ifVersion !== undefined && ifVersion !== current.version) {
      throw new Refusal(
        'stale_version',
        sentence('configuration_changed', { current: current.version, given: ifVersion }),
      );
    }
    const configuration = patched(current, patch);
    if (patch.rules !== undefined) await refuseRules(tx.sql, deviceNo, patch.rules);
    const { deviceId } = current;
    const change = { deviceNo, deviceId, configuration, version: current.version + 1 };
    const { changed, send } = await saveChangedConfiguration(tx, change, nowMs);
    const held = await lockDevices(tx.sql, [deviceNo]);
    await refuseOutside(tx, deviceNo);
    const missions = await saveMissionsWithoutBase(tx.sql, deviceNo, configuration, nowMs);
    const { events } = await evaluateDevices(tx, held, nowMs);
    await logEvents(tx, [changed, ...missions, ...events]);
    return committed({ configuration, version: change.version }, send, ...eventsLogged([changed]));
  },
};

/** Checks rules when they are given. A rule whose sensor is removed later has no effect until the sensor is declared again. */
async function refuseRules(sql: Sql, deviceNo: number, rules: readonly ThresholdRule[]): Promise<void> {
  const [device] = await findDevices(sql, [deviceNo]);
  if (device === undefined) throw new Refusal('device_not_found', 'the device does not exist any more');
  const { profile, sensorDocument, capacityKg } = device;
  refuseBadRules(rules, ruleSensors(sensorsOf(profile, sensorDocument), capacityKg ?? undefined));
}

function patched({ profile, body }: ConfigurationRow, patch: ConfigurationPatch): DeviceConfiguration {
  if (!PROFILES[profile].checkConfigurationPatch.accepts(patch)) {
    throw new Refusal('invalid_input', 'the device cannot be configured like this');
  }
  return profileOf(profile).patchConfiguration(storedConfiguration(body), patch);
}
