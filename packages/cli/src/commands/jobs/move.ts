import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import type { OperationRecord } from '@granary/contract/operations';
import { asActor } from '../../access/actor.ts';
import { confirm } from '../../frame/ask.ts';
import type { Environment } from '../../frame/environment.ts';
import { EXIT } from '../../frame/exit-codes.ts';
import { CommandFailure } from '../../frame/failures.ts';
import { outputOf } from '../../frame/output.ts';
import { follow } from './follow.ts';
import { interrupts } from './interrupts.ts';
import { operationTitle, outcomeText, titleOf } from './operation-progress.ts';
import { expectedEffect, type WantedOperation } from './plan.ts';
import { stopOperation } from './stopping.ts';

export interface MoveOptions {
  readonly yes?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/** Shows the expected effect, asks, starts the operation once, and follows it to its end. */
export async function moveMaterial(
  client: Client,
  deviceId: string,
  wanted: WantedOperation,
  { yes, detach, json }: MoveOptions,
  environment: Environment,
): Promise<void> {
  const output = outputOf(environment, json);
  output.note(output.fields(await expectedEffect(client, deviceId, wanted)));
  await confirm('Start?', yes, environment);
  const started = await startOnce(client, deviceId, wanted, environment);
  const { operation_id: operationId } = started;
  const title = operationTitle(wanted);
  if (detach === true) {
    return output.one(started, () => `${title} has started; granary stop ${deviceId} stops it.`);
  }
  output.note(`${title} has started. Ctrl+C stops it.`);
  const interrupt = interrupts(deviceId, environment);
  try {
    const following = { client, deviceId, operationId, environment, isQuiet: output.isJson };
    const ended = await follow(
      following,
      () => interrupt.choice() !== null,
      () => interrupt.isAsking(),
    );
    const record =
      ended ??
      (interrupt.choice() === 'stop'
        ? await stopOperation(() => client, deviceId, operationId, environment)
        : null);
    if (record === null) {
      return output.one(started, () => `${title} goes on; granary stop ${deviceId} stops it.`);
    }
    output.one(record, () => outcomeText(record));
    judge(record, ended === null);
  } finally {
    interrupt.end();
  }
}

const START_TIME_LIMIT_MS = 10_000;

/** The key makes a repeated request start nothing twice. */
function startOnce(client: Client, deviceId: string, wanted: WantedOperation, { env }: Environment) {
  const { type, amount, unit, rate, rateUnit, container = '' } = wanted;
  const body = { amount, unit, ...(rate === undefined ? {} : { rate, rate_unit: rateUnit }) };
  const options = { idempotencyKey: randomUUID(), timeLimitMs: START_TIME_LIMIT_MS, ...asActor(env) };
  const starts = {
    feed: () => client.operations.feed(deviceId, body, options),
    discharge: () => client.operations.discharge(deviceId, { ...body, target_container: container }, options),
  };
  return starts[type]();
}

const COMPLETED: OperationRecord['status'] = 'completed';

/** An operation that did not move what was wanted is no success for a script. */
function judge(record: OperationRecord, wasInterrupted: boolean): void {
  const title = titleOf(record);
  if (wasInterrupted) throw new CommandFailure(`${title} was stopped here`, { exitCode: EXIT.interrupted });
  if (record.status === COMPLETED) return;
  throw new CommandFailure(`${title} did not complete: it is ${record.status}`, { exitCode: EXIT.failed });
}
