import type { DeviceGroup } from '@granary/contract/devices/groups';
import { FAULTS, type FaultName, isFaultOf } from './fault.ts';

export type FaultPlan = ReadonlyMap<string, ReadonlySet<FaultName>>;

export class FaultPlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultPlanError';
  }
}

/** Parses `silo-03:link-loss,rover-01:stuck`; a device may appear several times. */
export function parseFaultPlan(text: string, kinds: ReadonlyMap<string, DeviceGroup>): FaultPlan {
  const plan = new Map<string, Set<FaultName>>();
  for (const entry of text.split(',')) {
    const [deviceId = '', name = '', ...rest] = entry.trim().split(':');
    if (rest.length > 0 || name === '') {
      throw new FaultPlanError(`"${entry}" is not of the form device:fault`);
    }
    const kind = kinds.get(deviceId);
    if (kind === undefined) {
      const ids = [...kinds.keys()].join(', ');
      throw new FaultPlanError(`"${deviceId}" is not a simulated device; there are ${ids}`);
    }
    if (!isFaultOf(kind, name)) {
      const names = Object.keys(FAULTS[kind]).join(', ');
      throw new FaultPlanError(`"${name}" is not a fault of ${deviceId}; there are ${names}`);
    }
    plan.set(deviceId, (plan.get(deviceId) ?? new Set()).add(name));
  }
  return plan;
}
