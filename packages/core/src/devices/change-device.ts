import type { DevicePatch } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import { hasFacility, type Limits } from '../keys.ts';
import { declareSensors } from '../sensors/declare-sensors.ts';
import { declaredSensors, SENSORS_DOCUMENT } from '../sensors/declared-sensors.ts';

/** What a caller can change of a registered device. */
export interface ChangeableDevice {
  readonly name: string;
  readonly model: string;
  readonly firmwareVersion: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number | null;
  readonly sensorDocument: string | null;
}

export type ChangedField = keyof DevicePatch;

/** The fields of the patch that differ from the device. */
export function changedFields(before: ChangeableDevice, after: ChangeableDevice): ChangedField[] {
  const isChanged: Record<ChangedField, boolean> = {
    name: before.name !== after.name,
    model: before.model !== after.model,
    firmware_version: before.firmwareVersion !== after.firmwareVersion,
    location: before.facility !== after.facility || before.zone !== after.zone,
    capacity: before.capacityKg !== after.capacityKg,
    sensors: before.sensorDocument !== after.sensorDocument,
  };
  return (Object.keys(isChanged) as ChangedField[]).filter((field) => isChanged[field]);
}

/** The device after the change; what is not given stays as it is. */
export function changeDevice<Device extends ChangeableDevice>(device: Device, patch: DevicePatch): Device {
  const { name, model, firmware_version, location, capacity, sensors } = patch;
  return {
    ...device,
    name: name ?? device.name,
    model: model ?? device.model,
    firmwareVersion: firmware_version ?? device.firmwareVersion,
    facility: location?.facility ?? device.facility,
    zone: location?.zone ?? device.zone,
    capacityKg: capacity?.max ?? device.capacityKg,
    sensorDocument:
      sensors === undefined
        ? device.sensorDocument
        : SENSORS_DOCUMENT.write(declareSensors(declaredSensors(device.sensorDocument), sensors)),
  };
}

/** The facility decides who sees a device and who is told of its alerts, so changing it needs rights in both. */
export function refuseForeignMove(limits: Limits, before: string, after: string): void {
  if (before === after || [before, after].every((facility) => hasFacility(limits, facility))) return;
  throw new Refusal(
    'forbidden',
    `this API key may not move a device from the facility "${before}" to "${after}": it needs rights in both`,
  );
}
