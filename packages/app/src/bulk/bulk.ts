import { CHANGED_DEVICES_MAX, type ChangedDevices, type DeviceChange } from '@granary/contract/bulk';
import { wantedLabel } from '@granary/contract/devices/label-match';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import type { SiteDevice } from '@granary/contract/site';
import { auditedChange } from '@granary/core/audit';
import { changedDevicesRecord, planDevices, refuseFaults } from '@granary/core/bulk/change-devices';
import { type DeviceOfRow, placeOf } from '@granary/core/bulk/import-devices';
import { canAccess, type Limits, limitsAmong } from '@granary/core/keys';
import { differences } from '@granary/core/site/differences';
import { auditedDevices, planDevice } from '@granary/core/site/plan-site';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { insertRegisteredDevices } from '../devices/register-device.ts';
import { type ChangeEntry, type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { listDevicesOfFleet } from '../fleet/device-list.ts';
import { limitsOf } from '../rights.ts';
import { lockKnownDevices, writePlan } from '../site/write-plan.ts';
import { longWrite, type Transaction } from '../transaction.ts';

const DEVICES_PER_STEP = 250;

export interface ChangeRequest extends DeviceChange {
  readonly isDryRun: boolean;
  readonly nowMs: number;
}

export interface Registration {
  readonly rows: readonly (DeviceOfRow & { readonly secretHash: string })[];
  readonly nowMs: number;
}

export const reads = {
  /** Returns an issue for each row whose id belongs to a device, including removed devices. */
  async takenIds(sql: Sql, rows: readonly DeviceOfRow[]): Promise<ValidationIssue[]> {
    const found = await sql.query<{ deviceId: string }>(
      `SELECT device_id FROM devices WHERE ${sql.isOneOf('device_id', '$1')}`,
      [JSON.stringify(rows.map(({ device }) => device.device_id))],
    );
    const taken = new Set(found.map(({ deviceId }) => deviceId));
    return rows.flatMap(({ row, device }) =>
      taken.has(device.device_id) ? [issueOf(placeOf(row, 'device_id'), sentence('is_taken'))] : [],
    );
  },
};

export const writes = {
  /** Changes every chosen device, or none. A dry run only plans it. */
  async change(tx: Transaction, request: ChangeRequest): Promise<Committed<ChangedDevices>> {
    const { set, isDryRun, nowMs } = request;
    const chosen = await chosenDevices(tx.sql, request, await limitsOf(tx));
    const known = await lockKnownDevices(tx.sql, chosen);
    const limits = await limitsOf(tx);
    const devices = chosen.flatMap((deviceId) => {
      const device = known.get(deviceId);
      // The device may have been moved or removed since it was chosen.
      const isThere = device?.removedAtMs === null && canAccess(limits, device);
      return isThere ? [device] : [];
    });
    const plan = planDevices(devices, set, limits);
    const record = changedDevicesRecord(plan, isDryRun);
    if (isDryRun) return { ...committed(record), audited: 'nothing' };
    const audited = auditedDevices(plan.devices).map(({ change, ...subject }) => ({
      ...subject,
      input: auditedChange(change),
    }));
    const effects = await writePlan(tx, plan, known, { ...NOTHING_NEW, nowMs });
    return { ...committed(record, ...effects), audited };
  },

  /** Registers all devices, or none. Many devices take long, so the statements are sent in steps, and other work runs in between. */
  register: longWrite(async (tx: Transaction, { rows, nowMs }: Registration) => {
    const faults: ValidationIssue[] = [];
    for (const part of inSteps(rows)) faults.push(...(await reads.takenIds(tx.sql, part)));
    refuseFaults('the file cannot be imported', faults);
    for (const part of inSteps(rows)) {
      const devices = part.map(({ device: wanted, secretHash }) => {
        const { removedAtMs: _, ...device } = planDevice(wanted, null, nowMs).after;
        return { ...device, secretHash, registeredAtMs: nowMs };
      });
      await logEvents(tx, (await insertRegisteredDevices(tx, devices)).registered);
    }
    const audited = rows.map(({ device }) => createdEntry(device));
    return { ...committed(rows.length, ...eventsLogged(rows)), audited };
  }),
};

function* inSteps<Row>(rows: readonly Row[]): Generator<readonly Row[], void> {
  for (let start = 0; start < rows.length; start += DEVICES_PER_STEP) {
    yield rows.slice(start, start + DEVICES_PER_STEP);
  }
}

const NOTHING_NEW = { secretHashes: {}, webhookSecrets: {}, newRuleIds: {}, newWebhookIds: {} };

async function chosenDevices(sql: Sql, { devices }: ChangeRequest, limits: Limits): Promise<string[]> {
  const { device_ids: deviceIds = null, facility = null, zone = null, profile = null, labels = [] } = devices;
  const found = await listDevicesOfFleet(sql, {
    devices: {
      limits: limitsAmong(limits, deviceIds),
      facility,
      zone,
      deviceId: null,
      labels: labels.map(wantedLabel),
    },
    profileName: profile,
    status: null,
    texts: null,
    isRemoved: false,
    clock: { nowMs: 0, missedReportsMax: 0 },
    afterDeviceId: null,
    limit: CHANGED_DEVICES_MAX + 1,
  });
  const chosen = found.map(({ deviceId }) => deviceId);
  const fault = selectionFault(chosen, deviceIds);
  if (fault === null) return chosen;
  throw new Refusal('apply_refused', `the change cannot be made, nothing was changed: /devices ${fault}`, [
    { path: '/devices', message: fault },
  ]);
}

function selectionFault(chosen: readonly string[], wanted: readonly string[] | null): string | null {
  const missing = wanted?.find((deviceId) => !chosen.includes(deviceId));
  if (missing !== undefined) {
    return `has no device ${quoted(missing)} that this key may change and that meets the rest`;
  }
  if (chosen.length > CHANGED_DEVICES_MAX) return `must choose at most ${CHANGED_DEVICES_MAX} devices`;
  return chosen.length === 0 ? 'chooses no device' : null;
}

/** The audit entry has the content of the row, without the configuration that every new device has. */
const createdEntry = (device: SiteDevice): ChangeEntry => ({
  deviceId: device.device_id,
  facility: device.location.facility,
  resourceId: null,
  input: auditedChange({ action: 'create', name: device.device_id, differences: differences({}, device) }),
});
