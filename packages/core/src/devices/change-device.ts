import type { DevicePatch } from '@granary/contract/devices/devices';
import { LABELS_MAX, type LabelChanges, type Labels } from '@granary/contract/devices/labels';
import { Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { type Limits, mayPlace, type Place } from '../keys.ts';
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
  /** The labels in the order of their names. */
  readonly labels: Labels;
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
    labels: JSON.stringify(before.labels) !== JSON.stringify(after.labels),
  };
  return (Object.keys(isChanged) as ChangedField[]).filter((field) => isChanged[field]);
}

/** The device after the change; fields that are not given stay as they are. */
export function changeDevice<Device extends ChangeableDevice>(device: Device, patch: DevicePatch): Device {
  const { name, model, firmware_version, location, capacity, sensors, labels } = patch;
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
    labels: labels === undefined ? device.labels : changeLabels(device.labels, labels),
  };
}

export function changeLabels(before: Labels, changes: LabelChanges): Labels {
  const named = Object.entries({ ...before, ...changes }).sort(([one], [other]) => (one < other ? -1 : 1));
  const after = named.filter((label): label is [string, string] => label[1] !== null);
  if (after.length <= LABELS_MAX) return Object.fromEntries(after);
  const counts = { limit: LABELS_MAX, count: after.length };
  const fault = issueOf('/labels', sentence('must_have_fewer_fields', counts));
  throw new Refusal('invalid_input', 'the device is not valid', [fault]);
}

/** The facility decides who sees a device and who is told of its alerts, so changing it needs rights in both. */
export function refuseForeignMove(
  limits: Limits,
  { deviceId, facility: before }: Place,
  after: string,
): void {
  if (before === after || [before, after].every((facility) => mayPlace(limits, { deviceId, facility })))
    return;
  throw new Refusal(
    'forbidden',
    `this API key may not move a device from the facility "${before}" to "${after}": it needs rights in both`,
  );
}
