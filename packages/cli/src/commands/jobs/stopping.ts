import type { Client } from '@granary/client';
import type { OperationRecord } from '@granary/contract/operations';
import { asActor, isPassing, pause } from '../../access/service-access.ts';
import type { Environment } from '../../program/environment.ts';
import { CommandFailure, EXIT } from '../../program/explain.ts';
import { duration } from '../../program/times.ts';

const REPEAT_EVERY_MS = 1_000;
/** A line that is still true is printed again after this time, so that a person sees that the stop is still being sent. */
const SAY_AGAIN_MS = 5_000;

const ADVICE =
  '  If it has to stand still now, press the stop at the device. Another service: --url, --context or GRANARY_DATA_DIR. Ctrl+C ends this, --timeout 30s by itself.';

export interface StopLimits {
  /** After this time the command ends and says that the stop is not confirmed. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
}

interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const CLOCK: Clock = { now: () => performance.now(), pause };

/** Calls `send` until it has arrived and the device has confirmed it. A refusal ends this; a service that does not answer does not. */
export async function repeatUntilConfirmed<Result>(
  what: string,
  send: () => Promise<Result>,
  isConfirmed: (result: Result) => boolean,
  environment: Environment,
  { timeoutMs = Number.POSITIVE_INFINITY, clock = CLOCK }: StopLimits,
): Promise<Result> {
  const startMs = clock.now();
  const say = speaker(what, environment, clock);
  const leave = (): never => {
    environment.printError(`granary: ${what} is NOT CONFIRMED. Look at the device.`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', leave);
  try {
    for (;;) {
      let trouble: string | null = null;
      try {
        const result = await send();
        if (isConfirmed(result)) return result;
      } catch (failure) {
        if (!isPassing(failure) || !(failure instanceof Error)) throw failure;
        trouble = failure.message;
      }
      const passedMs = clock.now() - startMs;
      if (passedMs >= timeoutMs) throw notConfirmed(what, trouble, passedMs);
      say(trouble);
      await clock.pause(Math.min(REPEAT_EVERY_MS, timeoutMs - passedMs));
    }
  } finally {
    process.off('SIGINT', leave);
  }
}

/** Prints what the stop waits for: when that changes, and again from time to time. */
function speaker(what: string, { printError }: Environment, clock: Clock): (trouble: string | null) => void {
  const startMs = clock.now();
  let said: string | null | undefined;
  let saidAtMs = startMs;
  let isAdvised = false;
  return (trouble) => {
    const nowMs = clock.now();
    if (trouble === said && nowMs - saidAtMs < SAY_AGAIN_MS) return;
    const since = said === undefined ? '' : ` after ${duration(nowMs - startMs)}`;
    said = trouble;
    saidAtMs = nowMs;
    printError(
      trouble === null
        ? `${what}: requested; not confirmed by the device yet${since}`
        : `${what} is NOT CONFIRMED${since}: ${trouble}; sending it again`,
    );
    if (trouble !== null && !isAdvised) printError(ADVICE);
    isAdvised ||= trouble !== null;
  };
}

const notConfirmed = (what: string, trouble: string | null, passedMs: number): CommandFailure =>
  new CommandFailure(
    `${what} is NOT CONFIRMED after ${duration(passedMs)}${trouble === null ? '' : `: ${trouble}`}`,
    trouble === null
      ? { exitCode: EXIT.failed, cure: 'Press the stop at the device. The service goes on sending the stop.' }
      : {
          exitCode: EXIT.notReachable,
          cure: 'Press the stop at the device; then `granary doctor` looks at the service.',
        },
  );

/** A stop may be sent at any time and any number of times. */
export const stopOperation = (
  connect: () => Client,
  deviceId: string,
  operationId: string,
  environment: Environment,
  limits: StopLimits = {},
): Promise<OperationRecord> =>
  repeatUntilConfirmed(
    `The stop of the operation on ${deviceId}`,
    () => connect().operations.stop(deviceId, operationId, asActor(environment.env)),
    ({ ended_at }) => ended_at !== null,
    environment,
    limits,
  );
