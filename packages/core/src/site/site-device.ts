import type { Labels } from '@granary/contract/devices/labels';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import type { DeviceConfiguration, ProfileName } from '@granary/contract/profiles/profiles';
import type { SiteDevice } from '@granary/contract/site';
import { asDeclaration, declaredSensors, isInUse } from '../sensors/declared-sensors.ts';

/** What a document describes of a device. */
export interface DescribedDevice {
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly name: string;
  readonly model: string;
  readonly firmwareVersion: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number | null;
  readonly sensorDocument: string | null;
  readonly labels: Labels;
  readonly configuration: DeviceConfiguration;
  /** `null` unless the device was removed; a removed device can only be read. */
  readonly removedAtMs: number | null;
}

/** The entry of a device, with which `apply` changes nothing. */
export function siteDevice(device: DescribedDevice): SiteDevice {
  const { capacityKg } = device;
  return {
    device_id: device.deviceId,
    profile: device.profile,
    name: device.name,
    model: device.model,
    firmware_version: device.firmwareVersion,
    location: { facility: device.facility, zone: device.zone },
    labels: device.labels,
    ...(capacityKg === null ? {} : { capacity: { max: capacityKg, unit: 'kg' } }),
    sensors: declarationsOf(device.sensorDocument),
    configuration: { ...device.configuration },
  };
}

function declarationsOf(sensorDocument: string | null): SensorDeclaration[] {
  const { sensors } = declaredSensors(sensorDocument);
  return sensors.filter(isInUse).map((sensor) => {
    const { reporting_interval_s, ...declaration } = asDeclaration(sensor);
    return reporting_interval_s === null ? declaration : { ...declaration, reporting_interval_s };
  });
}
