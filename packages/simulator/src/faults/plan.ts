import { FAULTS, type FaultName, isFaultName } from './fault.ts';

export type FaultPlan = ReadonlyMap<string, ReadonlySet<FaultName>>;

export class FaultPlanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FaultPlanError';
  }
}

/** Reads `silo-03:link-loss,silo-04:stuck`; a silo may be named several times. */
export function parseFaultPlan(text: string, siloIds: readonly string[]): FaultPlan {
  const plan = new Map<string, Set<FaultName>>();
  for (const entry of text.split(',')) {
    const [siloId = '', name = '', ...rest] = entry.trim().split(':');
    if (rest.length > 0 || name === '') throw new FaultPlanError(`"${entry}" is not of the form silo:fault`);
    if (!siloIds.includes(siloId)) {
      throw new FaultPlanError(`"${siloId}" is not a simulated silo; there are ${siloIds.join(', ')}`);
    }
    if (!isFaultName(name)) {
      throw new FaultPlanError(`"${name}" is not a fault; there are ${Object.keys(FAULTS).join(', ')}`);
    }
    plan.set(siloId, (plan.get(siloId) ?? new Set()).add(name));
  }
  return plan;
}
