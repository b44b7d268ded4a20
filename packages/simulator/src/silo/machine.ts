import { checkOperationProgress, type OperationProgress } from '@granary/contract/link/messages';
import { HOUR_MS } from '@granary/contract/time';
import { isRecord } from '../files.ts';
import { type Controller, restoreController, storedOperations } from './operations/controller.ts';
import { proceed } from './operations/operations.ts';
import { bodyAt, moveMaterial, offsetKg, type SiloBody, stepBody } from './silo-body.ts';
import type { Stocked } from './weight.ts';

/** A silo with its content and the controller of its gate. */
export interface Machine {
  readonly body: SiloBody;
  readonly controller: Controller;
}

/** The state that survives a loss of power. */
export interface Memory {
  /** The difference between the content and the content by regular use and deliveries alone. */
  readonly offsetKg: number;
  readonly operations: readonly OperationProgress[];
}

export const INITIAL_MEMORY: Memory = { offsetKg: 0, operations: [] };

export function isMemory(value: unknown): value is Memory {
  if (!isRecord(value)) return false;
  const { offsetKg, operations } = value;
  return (
    Number.isFinite(offsetKg) && Array.isArray(operations) && operations.every(checkOperationProgress.accepts)
  );
}

export const powerUp = (silo: Stocked, memory: Memory, nowMs: number): Machine => ({
  body: bodyAt(silo, nowMs, memory.offsetKg),
  controller: restoreController(memory.operations),
});

export const memoryOf = (silo: Stocked, { body, controller }: Machine): Memory => ({
  offsetKg: offsetKg(silo, body),
  operations: storedOperations(controller, body.timeMs),
});

/** The defects of a silo. */
export interface Defects {
  /** The gate is blocked at half of an amount. */
  readonly isJammed: boolean;
  /** Material does not reach the outlet. */
  readonly isBridged: boolean;
  readonly leakKgPerHour: number;
}

export const NO_DEFECTS: Defects = { isJammed: false, isBridged: false, leakKgPerHour: 0 };

/** Advances a silo in time. */
export function advance(
  silo: Stocked,
  machine: Machine,
  nowMs: number,
  defects: Defects = NO_DEFECTS,
): Machine {
  const { isJammed, isBridged, leakKgPerHour } = defects;
  const lostKg = (leakKgPerHour * Math.max(0, nowMs - machine.body.timeMs)) / HOUR_MS;
  const body = moveMaterial(silo, machine.body, machine.body.timeMs, -lostKg);
  if (machine.controller.running === null)
    return { ...machine, body: stepBody(silo, body, nowMs, isBridged) };
  const environment = {
    contentKg: body.weightKg,
    capacityKg: silo.capacityKg,
    isJammed: isJammed || isBridged,
  };
  const { controller, movedKg } = proceed(machine.controller, environment, nowMs - body.timeMs, nowMs);
  return { controller, body: moveMaterial(silo, body, nowMs, movedKg) };
}
