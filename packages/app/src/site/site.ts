import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { Applied } from '@granary/contract/site/apply';
import { auditedChange } from '@granary/core/audit/input';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { appliedRecord, auditedChanges, type PlanRequest, planSite } from '@granary/core/site/plan-site';
import type { DescribedDevice } from '@granary/core/site/site-device';
import type { Sql } from '@granary/store/sql';
import { configurationsOf } from '@granary/store/tables/configurations';
import { listDevicesOfFleet } from '@granary/store/tables/fleet/device-list';
import { type Committed, committed } from '../effects.ts';
import { lockKnownDevices } from './known-devices.ts';
import { lockKnownNotifications } from './known-notifications.ts';
import { type NewSecrets, writePlan } from './write-plan.ts';

export interface Application extends PlanRequest, NewSecrets {
  readonly isDryRun: boolean;
}

export interface DescribedPage {
  readonly facility: string | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

export type ApplicationResult = Omit<Applied, 'credentials' | 'webhook_secrets'>;

const ALL_KEYS = { facilities: null, deviceIds: null };

export const reads = {
  /** Ordered by device id. */
  async devices(sql: Sql, { facility, ...page }: DescribedPage): Promise<DescribedDevice[]> {
    const devices = { limits: ALL_KEYS, facility, zone: null, deviceId: null };
    const clock = { nowMs: 0, missedReportsMax: 0 };
    const everyOne = { profileName: null, status: null, texts: null, isRemoved: false, clock };
    const found = await listDevicesOfFleet(sql, { devices, ...everyOne, ...page });
    const bodies = await configurationsOf(
      sql,
      found.map(({ deviceNo }) => deviceNo),
    );
    return found.flatMap((device) => {
      const body = bodies.get(device.deviceNo);
      if (body === undefined) return [];
      return [{ ...device, configuration: storedConfiguration<DeviceConfiguration>(body) }];
    });
  },
};

export const writes = {
  /** Creates and changes everything that the document names, or nothing. A dry run only plans it. */
  async apply(sql: Sql, application: Application): Promise<Committed<ApplicationResult>> {
    const { document, isDryRun } = application;
    const { webhooks, rules } = await lockKnownNotifications(sql, document);
    const devices = await lockKnownDevices(
      sql,
      (document.devices ?? []).map(({ device_id }) => device_id),
    );
    const known = { devices, webhooks, rules };
    const plan = planSite(application, known);
    const record = appliedRecord(plan, isDryRun);
    if (isDryRun) return { ...committed(record), audited: 'nothing' };
    const audited = auditedChanges(plan, application, known).map(({ change, ...subject }) => ({
      ...subject,
      input: auditedChange(change),
    }));
    return { ...committed(record, ...(await writePlan(sql, plan, devices, application))), audited };
  },
};
