import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import { Refusal } from '@granary/contract/errors';
import type { ConfigurationPatch, DeviceConfiguration } from '@granary/contract/profiles/profiles';
import type { SiteDevice } from '@granary/contract/site/site-document';
import { ruleSensors } from '../alerts/rules/rule-sensors.ts';
import { refuseBadRules } from '../configuration/rule-checks.ts';
import { changeDevice } from '../devices/change-device.ts';
import { wayBack } from '../devices/removal.ts';
import { profileOf } from '../profiles/profiles.ts';
import { sensorsOf } from '../sensors/declared-sensors.ts';
import { differences } from './differences.ts';
import type { Planned } from './planned.ts';
import { issuesAt, refusalOr } from './refusal-issues.ts';
import { type DescribedDevice, siteDevice } from './site-device.ts';

export type PlannedDevice = Planned<DescribedDevice>;

/** Decides with the rules of the single requests, and refuses what they refuse. `before` is `null` for a new device. */
export function planDevice(wanted: SiteDevice, before: DescribedDevice | null, nowMs: number): PlannedDevice {
  if (before !== null && before.removedAtMs !== null) {
    throw new Refusal('apply_refused', `is a device that was removed; ${wayBack(before)}`);
  }
  const registeredAs = before?.profile ?? wanted.profile;
  if (registeredAs !== wanted.profile) {
    const message = `is registered as ${registeredAs}, which cannot be changed`;
    throw new Refusal('invalid_input', message, [{ path: '/profile', message }]);
  }
  const described = changeDevice(before ?? undescribed(wanted, nowMs), wanted);
  const after = { ...described, configuration: plannedConfiguration(wanted, described) };
  if (before === null) return { after, action: 'create', differences: [] };
  const changed = differences(siteDevice(before), siteDevice(after));
  return { after, action: changed.length === 0 ? 'unchanged' : 'update', differences: changed };
}

/** A new device before the document describes it. */
const undescribed = ({ device_id, profile }: SiteDevice, nowMs: number): DescribedDevice => ({
  deviceId: device_id,
  profile,
  name: '',
  model: '',
  firmwareVersion: '',
  facility: '',
  zone: '',
  capacityKg: null,
  sensorDocument: null,
  removedAtMs: null,
  configuration: profileOf(profile).initialConfiguration(nowMs),
});

function plannedConfiguration(
  { configuration: patch }: SiteDevice,
  { profile, sensorDocument, capacityKg, configuration: current }: DescribedDevice,
): DeviceConfiguration {
  if (patch === undefined) return current;
  // The document was checked against the schema of this profile.
  const checked = patch as ConfigurationPatch & { readonly rules?: readonly ThresholdRule[] };
  const planned = refusalOr(() => {
    const configuration = profileOf(profile).patchConfiguration(current, checked);
    if (checked.rules !== undefined) {
      refuseBadRules(checked.rules, ruleSensors(sensorsOf(profile, sensorDocument), capacityKg ?? undefined));
    }
    return configuration;
  });
  if (!(planned instanceof Refusal)) return planned;
  throw new Refusal(planned.code, planned.message, issuesAt('/configuration', planned));
}
