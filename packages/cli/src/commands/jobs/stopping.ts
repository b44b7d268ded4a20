import type { Client } from '@granary/client';
import type { OperationRecord } from '@granary/contract/operations';
import { asActor } from '../../access/actor.ts';
import { isPassing, pause } from '../../access/patience.ts';
import type { Environment } from '../../frame/environment.ts';
import { EXIT } from '../../frame/exit-codes.ts';
import { CommandFailure } from '../../frame/failures.ts';

const REPEAT_EVERY_MS = 1_000;

export interface StopLimits {
  /** After this time the command ends and says that the stop is not confirmed. */
  readonly timeoutMs?: number | undefined;
}

/** Sends `send` until it has arrived and the device has confirmed it; a refusal ends it, a service that is away does not. */
export async function repeatUntilConfirmed<Result>(
  what: string,
  send: () => Promise<Result>,
  isConfirmed: (result: Result) => boolean,
  environment: Environment,
  { timeoutMs }: StopLimits,
): Promise<Result> {
  const deadlineMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  let said = '';
  const say = (text: string): void => {
    if (text !== said) environment.printError(text);
    said = text;
  };
  const leave = (): never => {
    environment.printError(`granary: ${what} is NOT CONFIRMED`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', leave);
  try {
    for (;;) {
      try {
        const result = await send();
        if (isConfirmed(result)) return result;
        say(`${what}: requested; waiting for the device to confirm it`);
      } catch (failure) {
        if (!isPassing(failure)) throw failure;
        say(`${what}: the service does not answer; sending it again`);
      }
      if (performance.now() >= deadlineMs) throw notConfirmed(what);
      await pause(REPEAT_EVERY_MS);
    }
  } finally {
    process.off('SIGINT', leave);
  }
}

const notConfirmed = (what: string): CommandFailure =>
  new CommandFailure(`${what} is NOT CONFIRMED in time`, {
    exitCode: EXIT.failed,
    cure: 'Look at the device; the service goes on sending the stop.',
  });

/** A stop may be sent at any time and any number of times. */
export const stopOperation = (
  client: Client,
  deviceId: string,
  operationId: string,
  environment: Environment,
  limits: StopLimits = {},
): Promise<OperationRecord> =>
  repeatUntilConfirmed(
    `The stop of ${operationId} on ${deviceId}`,
    () => client.operations.stop(deviceId, operationId, asActor(environment.env)),
    ({ ended_at }) => ended_at !== null,
    environment,
    limits,
  );
