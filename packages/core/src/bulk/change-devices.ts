import type { ChangedDevices, DeviceChange } from '@granary/contract/bulk';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { configurationFaults, hasCapacity } from '@granary/contract/site';
import { refuseForeignMove } from '../devices/change-device.ts';
import type { Limits } from '../keys.ts';
import { issuesAt, type PlannedDevice, planChange, refusalOr, type SitePlan } from '../site/plan-site.ts';
import type { DescribedDevice } from '../site/site-device.ts';

/** Plans the same change of all devices, or refuses it with every fault that was found. */
export function planDevices(
  devices: readonly DescribedDevice[],
  set: DeviceChange['set'],
  limits: Limits,
): SitePlan {
  const faults: ValidationIssue[] = [];
  const planned = devices.flatMap((device): PlannedDevice[] => {
    const plan = refusalOr(() => planOne(device, set, limits));
    if (!(plan instanceof Refusal)) return [plan];
    for (const { path, message } of issuesAt('/set', plan)) {
      faults.push({ path, message: `${message} (device ${device.deviceId})` });
    }
    return [];
  });
  refuseFaults('the change cannot be made', faults);
  return { devices: planned, webhooks: [], notification_rules: [], sign_in_policy: [] };
}

function planOne(device: DescribedDevice, set: DeviceChange['set'], limits: Limits): PlannedDevice {
  const { profile } = device;
  const faults = configurationFaults({ profile, ...set });
  if (set.capacity !== undefined && !hasCapacity(profile)) {
    faults.push({ path: '/capacity', message: `is not known of a ${profile}` });
  }
  if (faults.length > 0) throw new Refusal('invalid_input', 'the change is not valid', faults);
  const plan = planChange(device, set);
  refuseForeignMove(limits, device, plan.after.facility);
  return plan;
}

/** A person repairs all faults of a file or a change together, so more of them are listed than for other bodies. */
export const FAULTS_LISTED_MAX = 200;

export function refuseFaults(what: string, faults: readonly ValidationIssue[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const more =
    faults.length >= FAULTS_LISTED_MAX ? `; only the first ${FAULTS_LISTED_MAX} faults are listed` : '';
  const message = `${what}, nothing was changed: ${first.path} ${first.message}${more}`;
  throw new Refusal('apply_refused', message, faults.slice(0, FAULTS_LISTED_MAX));
}

export function changedDevicesRecord({ devices }: SitePlan, isDryRun: boolean): ChangedDevices {
  const updated = devices.filter(({ action }) => action === 'update').length;
  return {
    dry_run: isDryRun,
    updated,
    unchanged: devices.length - updated,
    changes: devices.map(({ after, differences }) => ({
      device_id: after.deviceId,
      name: after.name,
      differences: [...differences],
    })),
  };
}
