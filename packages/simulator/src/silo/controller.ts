import type { OperationProgress, StartCommand } from '@granary/contract/link/messages';
import type { Flow } from './flow.ts';

/** More than can be started before the oldest start among them has expired. */
export const REMEMBERED_MAX = 64;

/** An operation under way. */
export interface Run {
  readonly command: StartCommand;
  readonly flow: Flow;
  /** Since it began. */
  readonly elapsedMs: number;
  /** Less than elapsed when something held the material up. */
  readonly flowMs: number;
  readonly movedKg: number;
}

/**
 * What a silo's controller knows: the operation that runs, and those it will never begin (again), oldest first. Of the
 * latter `unknown` marks those that it refused or that were stopped before they came.
 */
export interface Controller {
  readonly running: Run | null;
  readonly past: readonly OperationProgress[];
}

export const IDLE: Controller = { running: null, past: [] };

/** How an operation stands, in the words of the device link. */
export function progressOf(
  { running, past }: Controller,
  operationId: string,
  nowMs: number,
): OperationProgress {
  if (running?.command.operation_id === operationId) return told(running, 'running', nowMs);
  const known = past.find(({ operation_id }) => operation_id === operationId);
  return known === undefined ? unknown(operationId, nowMs) : { ...known, ts: nowMs };
}

/** Everything a controller must not forget. */
export const remembered = ({ running, past }: Controller, nowMs: number): readonly OperationProgress[] =>
  running === null ? past : [...past, told(running, 'running', nowMs)];

/** The controller after a restart. What ran until then is over: nothing begins to move when the power comes back. */
export const recall = (operations: readonly OperationProgress[]): Controller => ({
  running: null,
  past: operations
    .slice(-REMEMBERED_MAX)
    .map((operation) =>
      operation.state === 'running' ? { ...operation, state: 'failed', reason: 'power lost' } : operation,
    ),
});

type End = 'completed' | 'stopped' | 'failed';

export function end(
  controller: Controller,
  run: Run,
  state: End,
  nowMs: number,
  reason?: string,
): Controller {
  const ended = { ...told(run, state, nowMs), ...(reason === undefined ? {} : { reason }) };
  return remember({ ...controller, running: null }, ended);
}

export const remember = (controller: Controller, operation: OperationProgress): Controller => ({
  ...controller,
  past: [...controller.past, operation].slice(-REMEMBERED_MAX),
});

const told = ({ command, movedKg }: Run, state: End | 'running', nowMs: number): OperationProgress => ({
  operation_id: command.operation_id,
  type: command.type,
  state,
  amount_kg: toWholeGrams(movedKg),
  ts: nowMs,
});

export const unknown = (operation_id: string, nowMs: number): OperationProgress => ({
  operation_id,
  state: 'unknown',
  amount_kg: 0,
  ts: nowMs,
});

/** Rounded down, so that no bound is exceeded in words either. */
const toWholeGrams = (kg: number): number => Math.floor(kg * 1_000 + 1e-6) / 1_000;
