import { checkOperationProgress, type OperationProgress } from '@granary/contract/link/messages';
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

/** Advances a silo in time. */
export function advance(silo: Stocked, machine: Machine, nowMs: number, isJammed: boolean): Machine {
  const { body } = machine;
  if (machine.controller.running === null) return { ...machine, body: stepBody(silo, body, nowMs) };
  const environment = { contentKg: body.weightKg, capacityKg: silo.capacityKg, isJammed };
  const { controller, movedKg } = proceed(machine.controller, environment, nowMs - body.timeMs, nowMs);
  return { controller, body: moveMaterial(silo, body, nowMs, movedKg) };
}
