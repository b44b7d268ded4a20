import type { OperationProgress, StartCommand } from '@granary/contract/link/messages';
import type { Flow } from './flow.ts';

/** More operations than can be started before the oldest start of them has expired. */
export const FINISHED_MAX = 64;

/** The running operation. */
export interface Run {
  readonly command: StartCommand;
  readonly flow: Flow;
  /** The time since the start. */
  readonly elapsedMs: number;
  /** The time in which material moved; less than `elapsedMs` after a jam. */
  readonly flowMs: number;
  readonly movedKg: number;
}

/**
 * The state of a silo's controller: the running operation, and those it will not start (again), oldest first. Among the
 * latter `unknown` marks those that were refused, or stopped before they arrived.
 */
export interface Controller {
  readonly running: Run | null;
  readonly finished: readonly OperationProgress[];
}

export const IDLE: Controller = { running: null, finished: [] };

/** The progress message of an operation. */
export function progressOf(
  { running, finished }: Controller,
  operationId: string,
  nowMs: number,
): OperationProgress {
  if (running?.command.operation_id === operationId) return progressMessage(running, 'running', nowMs);
  const known = finished.find(({ operation_id }) => operation_id === operationId);
  return known === undefined ? unknown(operationId, nowMs) : { ...known, ts: nowMs };
}

/** The operations that survive a loss of power. */
export const storedOperations = (
  { running, finished }: Controller,
  nowMs: number,
): readonly OperationProgress[] =>
  running === null ? finished : [...finished, progressMessage(running, 'running', nowMs)];

/** The controller after a restart; a running operation has failed, because nothing may move when the power returns. */
export const restoreController = (operations: readonly OperationProgress[]): Controller => ({
  running: null,
  finished: operations
    .slice(-FINISHED_MAX)
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
  const ended = { ...progressMessage(run, state, nowMs), ...(reason === undefined ? {} : { reason }) };
  return addFinished({ ...controller, running: null }, ended);
}

export const addFinished = (controller: Controller, operation: OperationProgress): Controller => ({
  ...controller,
  finished: [...controller.finished, operation].slice(-FINISHED_MAX),
});

const progressMessage = (
  { command, movedKg }: Run,
  state: End | 'running',
  nowMs: number,
): OperationProgress => ({
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

/** Rounded down, so that a reported amount never exceeds the limit either. */
const toWholeGrams = (kg: number): number => Math.floor(kg * 1_000 + 1e-6) / 1_000;
