import type { Position } from '@granary/contract/positions';
import { Device, type DeviceOptions } from '../device/device.ts';
import { createReadingFault } from '../faults/fault.ts';
import { FieldController, type FieldControllerOptions } from './field-controller.ts';
import type { FieldUnit } from './fleet.ts';
import { pointOf } from './vehicle/ground.ts';
import type { FieldReading } from './vehicle/instruments.ts';

export type FieldDeviceOptions = Omit<DeviceOptions<FieldReading>, 'createReadingFault'> &
  Pick<FieldControllerOptions, 'unit' | 'memory' | 'keep' | 'onTrouble'>;

/** A rover or a drone. */
export class FieldDevice extends Device<FieldReading, FieldController> {
  readonly unit: FieldUnit;

  constructor({ unit, memory, keep, onTrouble, ...device }: FieldDeviceOptions) {
    super(
      { ...device, createReadingFault },
      ({ link, faults, nowMs }) =>
        new FieldController({ unit, memory, keep, onTrouble, link, faults }, nowMs),
    );
    this.unit = unit;
  }

  /** The true position at the last tick. */
  get position(): Position {
    const { lat, lng } = pointOf(this.unit.ground, this.model.body);
    return { latitude: lat, longitude: lng, altitude: this.model.body.altitudeM };
  }

  get batteryPercent(): number {
    return this.model.body.batteryPercent;
  }
}
