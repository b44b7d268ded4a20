import type { SimulatedProfile } from '../profiles/profile.ts';

/** The names of the faults of each device. */
export type FaultPlan = ReadonlyMap<string, ReadonlySet<string>>;

export class FaultPlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultPlanError';
  }
}

/** Parses `silo-03:link-loss,rover-01:stuck`; a device may appear several times. */
export function parseFaultPlan(text: string, profiles: readonly SimulatedProfile[]): FaultPlan {
  const plan = new Map<string, Set<string>>();
  for (const entry of text.split(',')) {
    const [deviceId = '', name = '', ...rest] = entry.trim().split(':');
    if (rest.length > 0 || name === '') {
      throw new FaultPlanError(`"${entry}" is not of the form device:fault`);
    }
    checkFault(profiles, deviceId, name);
    plan.set(deviceId, (plan.get(deviceId) ?? new Set()).add(name));
  }
  return plan;
}

/** Refuses a device that is not simulated, and a fault that it cannot have. */
export function checkFault(profiles: readonly SimulatedProfile[], deviceId: string, name: string): void {
  const idsOf = ({ devices }: SimulatedProfile) => devices.map(({ unit }) => unit.id);
  const found = profiles.find((profile) => idsOf(profile).includes(deviceId));
  if (found === undefined) {
    const ids = profiles.flatMap(idsOf).join(', ');
    throw new FaultPlanError(`"${deviceId}" is not a simulated device; there are ${ids}`);
  }
  if (!Object.hasOwn(found.faults, name)) {
    const names = Object.keys(found.faults).join(', ');
    throw new FaultPlanError(`"${name}" is not a fault of ${deviceId}; there are ${names}`);
  }
}
