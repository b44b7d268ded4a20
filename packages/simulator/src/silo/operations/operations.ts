import type { OperationAck, StartCommand } from '@granary/contract/link/messages';
import { checkedTimeMs, SECOND_MS } from '@granary/contract/time';
import { addFinished, type Controller, end, type Run, unknown } from './controller.ts';
import { flowedKg, planFlow } from './flow.ts';

/** The facts about the silo that the controller uses. */
export interface Environment {
  readonly contentKg: number;
  readonly capacityKg: number;
  /** A jam stops the flow at half of the amount. */
  readonly isJammed: boolean;
}

/** A repeated start is acknowledged each time and carried out at most once; a refused one stays refused. */
export function begin(
  controller: Controller,
  command: StartCommand,
  nowMs: number,
): { readonly controller: Controller; readonly ack: OperationAck } {
  const { operation_id, type } = command;
  const accepted = { operation_id, accepted: true };
  if (controller.running?.command.operation_id === operation_id) return { controller, ack: accepted };
  const known = controller.finished.find((operation) => operation.operation_id === operation_id);
  if (known !== undefined) {
    const ack = known.state === 'unknown' ? refusal(operation_id, known.reason) : accepted;
    return { controller, ack };
  }
  const reason = reasonToRefuse(controller, command, nowMs);
  if (reason !== undefined) {
    const refused = { operation_id, type, state: 'unknown', amount_kg: 0, reason, ts: nowMs } as const;
    return { controller: addFinished(controller, refused), ack: refusal(operation_id, reason) };
  }
  const flow = planFlow(Math.min(command.amount_kg, command.max_amount_kg), command.rate_kg_per_min);
  const running = { command, flow, elapsedMs: 0, flowMs: 0, movedKg: 0 };
  return { controller: { ...controller, running }, ack: accepted };
}

function reasonToRefuse({ running }: Controller, command: StartCommand, nowMs: number): string | undefined {
  if (nowMs > checkedTimeMs(command.expires_at)) return 'it came too late';
  return running === null ? undefined : `${running.command.operation_id} is running`;
}

const refusal = (operation_id: string, reason?: string): OperationAck => ({
  operation_id,
  accepted: false,
  ...(reason === undefined ? {} : { reason }),
});

/** The gate closes immediately; a stop that arrives before its start is stored, so that the start is refused. */
export function halt(controller: Controller, operationId: string, nowMs: number): Controller {
  const { running, finished } = controller;
  if (running?.command.operation_id === operationId) return end(controller, running, 'stopped', nowMs);
  if (finished.some(({ operation_id }) => operation_id === operationId)) return controller;
  return addFinished(controller, { ...unknown(operationId, nowMs), reason: 'it was stopped before it came' });
}

/**
 * Advances the running operation in time. Returns the amount it moved into the silo (negative: out of it), and ends it when
 * the amount or a limit is reached. A clock that was set back moves nothing.
 */
export function proceed(
  controller: Controller,
  { contentKg, capacityKg, isJammed }: Environment,
  elapsedMs: number,
  nowMs: number,
): { readonly controller: Controller; readonly movedKg: number } {
  if (controller.running === null || elapsedMs <= 0) return { controller, movedKg: 0 };
  const { command, flow, ...before } = controller.running;
  const timeLeftMs = command.max_duration_s * SECOND_MS - before.elapsedMs;
  const passedMs = Math.min(elapsedMs, timeLeftMs);
  const reachMs = isJammed ? Math.max(before.flowMs, flow.durationMs / 2) : flow.durationMs;
  const flowMs = Math.min(before.flowMs + passedMs, reachMs);
  const possibleKg = Math.max(0, command.type === 'feed' ? capacityKg - contentKg : contentKg);
  const reachKg = before.movedKg + possibleKg;
  const wantedKg = flowedKg(flow, flowMs);
  const movedKg = Math.min(wantedKg, reachKg);
  const run: Run = { command, flow, elapsedMs: before.elapsedMs + passedMs, flowMs, movedKg };
  const stepKg = movedKg - before.movedKg;
  return {
    controller: settle(controller, run, wantedKg > reachKg, nowMs),
    movedKg: command.type === 'feed' ? stepKg : -stepKg,
  };
}

function settle(controller: Controller, run: Run, isBlocked: boolean, nowMs: number): Controller {
  const { command, flow, flowMs, elapsedMs } = run;
  if (isBlocked) return end(controller, run, 'failed', nowMs, command.type === 'feed' ? 'full' : 'empty');
  if (flowMs >= flow.durationMs) {
    return command.amount_kg > command.max_amount_kg
      ? end(controller, run, 'failed', nowMs, 'the largest amount allowed is reached')
      : end(controller, run, 'completed', nowMs);
  }
  return elapsedMs >= command.max_duration_s * SECOND_MS
    ? end(controller, run, 'failed', nowMs, 'the longest time allowed is over')
    : { ...controller, running: run };
}
