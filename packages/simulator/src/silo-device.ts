import { ControlPanel, type ControlPanelOptions } from './control-panel.ts';
import { Device, type DeviceOptions } from './device.ts';
import type { Silo } from './farm.ts';
import { createSiloReadingFault } from './faults/fault.ts';
import type { SiloReading } from './scale.ts';

export type SiloDeviceOptions = Omit<DeviceOptions<SiloReading>, 'createReadingFault'> &
  Pick<ControlPanelOptions, 'silo' | 'memory' | 'keep' | 'onTrouble'>;

/** A silo with a scale and a gate. */
export class SiloDevice extends Device<SiloReading, ControlPanel> {
  readonly silo: Silo;

  constructor({ silo, memory, keep, onTrouble, ...device }: SiloDeviceOptions) {
    super(
      { ...device, createReadingFault: createSiloReadingFault },
      ({ link, faults, nowMs }) => new ControlPanel({ silo, memory, keep, onTrouble, link, faults }, nowMs),
    );
    this.silo = silo;
  }

  /** What really lay in it when it was last looked at, whatever its scale says. */
  get weightKg(): number {
    return this.inside.body.weightKg;
  }
}
