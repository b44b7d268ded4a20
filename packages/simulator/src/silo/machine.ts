import { checkOperationProgress, type OperationProgress } from '@granary/contract/link/messages';
import { isRecord } from '../device/json-file.ts';
import type { Silo } from '../farm/farm.ts';
import { type Controller, recall, remembered } from './controller.ts';
import { proceed } from './operations.ts';
import { bodyAt, offsetKg, pourInto, type SiloBody, stepBody } from './silo-body.ts';

/** A silo with its content and the controller of its gate. */
export interface Machine {
  readonly body: SiloBody;
  readonly controller: Controller;
}

/** What outlives a loss of power. */
export interface Memory {
  /** How much more lies in the silo than its habits alone would have left. */
  readonly offsetKg: number;
  readonly operations: readonly OperationProgress[];
}

export const UNTOUCHED: Memory = { offsetKg: 0, operations: [] };

export function isMemory(value: unknown): value is Memory {
  if (!isRecord(value)) return false;
  const { offsetKg, operations } = value;
  return (
    Number.isFinite(offsetKg) && Array.isArray(operations) && operations.every(checkOperationProgress.accepts)
  );
}

export const powerUp = (silo: Silo, memory: Memory, nowMs: number): Machine => ({
  body: bodyAt(silo, nowMs, memory.offsetKg),
  controller: recall(memory.operations),
});

export const memoryOf = (silo: Silo, { body, controller }: Machine): Memory => ({
  offsetKg: offsetKg(silo, body),
  operations: remembered(controller, body.timeMs),
});

/** Lets time pass over a silo. */
export function advance(silo: Silo, machine: Machine, nowMs: number, isJammed: boolean): Machine {
  const { body } = machine;
  if (machine.controller.running === null) return { ...machine, body: stepBody(silo, body, nowMs) };
  const surroundings = { contentKg: body.weightKg, capacityKg: silo.capacityKg, isJammed };
  const { controller, movedKg } = proceed(machine.controller, surroundings, nowMs - body.timeMs, nowMs);
  return { controller, body: pourInto(silo, body, nowMs, movedKg) };
}
