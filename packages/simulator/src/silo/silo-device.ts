import { Device, type DeviceOptions } from '../device/device.ts';
import type { Silo } from '../farm/farm.ts';
import { createSiloReadingFault } from '../faults/fault.ts';
import type { SiloReading } from './scale.ts';
import { SiloController, type SiloControllerOptions } from './silo-controller.ts';

export type SiloDeviceOptions = Omit<DeviceOptions<SiloReading>, 'createReadingFault'> &
  Pick<SiloControllerOptions, 'silo' | 'memory' | 'keep' | 'onTrouble'>;

/** A silo with a scale and a gate. */
export class SiloDevice extends Device<SiloReading, SiloController> {
  readonly silo: Silo;

  constructor({ silo, memory, keep, onTrouble, ...device }: SiloDeviceOptions) {
    super(
      { ...device, createReadingFault: createSiloReadingFault },
      ({ link, faults, nowMs }) => new SiloController({ silo, memory, keep, onTrouble, link, faults }, nowMs),
    );
    this.silo = silo;
  }

  /** The true content at the last tick, whatever the scale shows. */
  get weightKg(): number {
    return this.model.body.weightKg;
  }
}
