import { randomUUID } from 'node:crypto';
import type { Client } from '@granary/client';
import type { OperationRecord } from '@granary/contract/operations';
import { asActor } from '../../access/actor.ts';
import { isPassing, pause } from '../../access/patience.ts';
import { confirm } from '../../frame/ask.ts';
import type { Environment } from '../../frame/environment.ts';
import { CommandFailure, EXIT } from '../../frame/failures.ts';
import { outputOf } from '../../terminal/output.ts';
import { operationTitle, outcomeText, progressText, titleOf } from './operation-progress.ts';
import { expectedEffect, type WantedOperation } from './plan.ts';
import { stopOperation } from './stopping.ts';

const QUESTION = 'Stop it? [Y = stop, l = leave it running and quit, c = continue watching] ';

const LOOK_EVERY_MS = 500;

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

interface Following {
  readonly client: Client;
  readonly deviceId: string;
  readonly operationId: string;
  readonly environment: Environment;
  /** Without text for a person: only the result is printed. */
  readonly isQuiet: boolean;
}

/**
 * Shows how an operation goes on until it has ended or `isOver` says so. The amounts are in no event, so the record is read
 * again and again; this also survives a restart of the service, during which the device goes on.
 */
async function follow(
  { client, deviceId, operationId, environment, isQuiet }: Following,
  isOver: () => boolean,
  isPaused: () => boolean,
): Promise<OperationRecord | null> {
  const say = (text: string): void => {
    if (!isQuiet) environment.print(text);
  };
  let said = '';
  let isLost = false;
  while (!isOver()) {
    try {
      const record = await client.operations.get(deviceId, operationId);
      if (isLost) say('The service answers again.');
      isLost = false;
      if (record.ended_at !== null) return record;
      if (record.status !== said && !isPaused()) say(`${record.status}: ${record.status_detail}`);
      said = record.status;
      if (!isPaused() && !isQuiet) environment.showProgress?.(progressText(record, environment.terminal));
    } catch (failure) {
      if (!isPassing(failure)) throw failure;
      if (!isLost) say('The service does not answer; the device goes on by itself. Trying again.');
      isLost = true;
    }
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

/** What the person at the terminal decided. */
type InterruptChoice = 'stop' | 'leave';

interface Interrupts {
  /** `null` while there is nothing to do but to go on. */
  choice(): InterruptChoice | null;
  isAsking(): boolean;
  end(): void;
}

/** Ctrl+C asks once; a second Ctrl+C, any unclear answer and a missing person stop. */
function interrupts(deviceId: string, { person, print }: Environment): Interrupts {
  let choice: InterruptChoice | null = null;
  let isAsking = false;
  const withdrawal = new AbortController();
  const onSignal = (): void => {
    if (person === undefined || isAsking) {
      choice = 'stop';
      return;
    }
    isAsking = true;
    print('');
    void person.ask(`${deviceId} is moving material. ${QUESTION}`, withdrawal.signal).then((answer) => {
      isAsking = false;
      choice ??= meaning(answer);
    });
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    choice: () => choice,
    isAsking: () => isAsking,
    end: () => {
      withdrawal.abort();
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

function meaning(answer: string | null): InterruptChoice | null {
  const letter = answer?.trim().toLowerCase().charAt(0);
  if (letter === 'c') return null;
  return letter === 'l' ? 'leave' : 'stop';
}
