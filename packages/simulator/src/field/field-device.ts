import type { Position } from '@granary/contract/positions';
import { Device, type DeviceOptions } from '../device/device.ts';
import { createReadingFault } from '../faults/fault.ts';
import { FieldPanel, type FieldPanelOptions } from './field-panel.ts';
import type { FieldUnit } from './fleet.ts';
import { pointOf } from './vehicle/ground.ts';
import type { FieldReading } from './vehicle/instruments.ts';

export type FieldDeviceOptions = Omit<DeviceOptions<FieldReading>, 'createReadingFault'> &
  Pick<FieldPanelOptions, 'unit' | 'memory' | 'keep' | 'onTrouble'>;

/** A rover or a drone. */
export class FieldDevice extends Device<FieldReading, FieldPanel> {
  readonly unit: FieldUnit;

  constructor({ unit, memory, keep, onTrouble, ...device }: FieldDeviceOptions) {
    super(
      { ...device, createReadingFault },
      ({ link, faults, nowMs }) => new FieldPanel({ unit, memory, keep, onTrouble, link, faults }, nowMs),
    );
    this.unit = unit;
  }

  /** Where it really was when it was last looked at. */
  get position(): Position {
    const { lat, lng } = pointOf(this.unit.ground, this.inside.body);
    return { latitude: lat, longitude: lng, altitude: this.inside.body.altitudeM };
  }

  get batteryPercent(): number {
    return this.inside.body.batteryPercent;
  }
}
