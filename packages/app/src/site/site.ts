import { Refusal } from '@granary/contract/errors';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { Applied } from '@granary/contract/site/apply';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { storedConfiguration } from '@granary/core/configuration/document';
import { appliedRecord, planSite } from '@granary/core/site/plan-site';
import type { DescribedDevice } from '@granary/core/site/site-device';
import type { Sql } from '@granary/store/sql';
import { configurationsOf } from '@granary/store/tables/configurations';
import { listDevicesOfFleet } from '@granary/store/tables/fleet/device-list';
import { type Committed, committed } from '../effects.ts';
import { type KnownDevice, lockKnownDevices } from './known-devices.ts';
import { writePlan } from './write-plan.ts';

export interface Application {
  readonly document: SiteDocument;
  readonly isDryRun: boolean;
  /** Of every device of the document, because only the plan finds out which of them are new. */
  readonly secretHashes: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

export interface DescribedPage {
  readonly facility: string | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

export type ApplicationResult = Omit<Applied, 'credentials'>;

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
      return body === undefined
        ? []
        : [{ ...device, configuration: storedConfiguration<DeviceConfiguration>(body) }];
    });
  },
};

export const writes = {
  /** Creates and changes everything that the document names, or nothing. A dry run only plans it. */
  async apply(sql: Sql, application: Application): Promise<Committed<ApplicationResult>> {
    const { document, isDryRun, nowMs } = application;
    const deviceIds = (document.devices ?? []).map(({ device_id }) => device_id);
    const known = await lockKnownDevices(sql, deviceIds);
    refuseRemovedDevices(deviceIds, known);
    const plan = planSite(document, known, nowMs);
    const record = appliedRecord(plan, isDryRun);
    if (isDryRun) return committed(record);
    return committed(record, ...(await writePlan(sql, plan, known, application)));
  },
};

/** A removed device is only read. */
function refuseRemovedDevices(deviceIds: readonly string[], known: ReadonlyMap<string, KnownDevice>): void {
  const details = deviceIds.flatMap((deviceId, index) => {
    const isRemoved = typeof known.get(deviceId)?.removedAtMs === 'number';
    return isRemoved ? [{ path: `/devices/${index}`, message: 'is a device that was removed' }] : [];
  });
  if (details.length === 0) return;
  const message = 'the document cannot be applied, nothing was changed: it names removed devices';
  throw new Refusal('apply_refused', message, details);
}
