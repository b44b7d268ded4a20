import { ApiError, UnreachableError } from '../failures.ts';
import { type Call, IDEMPOTENCY_KEY, isRepeatable } from './call.ts';
import { pause } from './pause.ts';
import { attemptLimitMs, isTemporary, paceOf, waitBeforeNextMs } from './retry-policy.ts';

/** One attempt, which has to end when its signal is aborted. */
type Attempt<Answer> = (signal: AbortSignal) => Promise<Answer>;

export interface RepeatOptions {
  /** For calls that do not have a limit of their own. */
  readonly timeLimitMs: number;
  readonly now: () => number;
  readonly random: () => number;
}

/** Sends a call until it is answered, refused for good, cancelled, or out of time. */
export async function repeat<Answer>(
  call: Call,
  attempt: Attempt<Answer>,
  { timeLimitMs: usualLimitMs, now, random }: RepeatOptions,
): Promise<Answer> {
  const { signal, timeLimitMs = usualLimitMs } = call.options;
  const pace = paceOf(call.isUrgent);
  const deadlineMs = now() + timeLimitMs;
  let unanswered: UnreachableError | undefined;
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    const limitMs = attemptLimitMs(number, pace);
    const timeout = AbortSignal.timeout(
      timeLimitMs === 0 ? limitMs : Math.max(1, Math.min(limitMs, deadlineMs - now())),
    );
    try {
      return await attempt(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (failure) {
      signal?.throwIfAborted();
      const waitMs = waitBeforeNextMs(number, failure, pace, random);
      const hasTime = now() + waitMs < deadlineMs;
      if (failure instanceof UnreachableError && !failure.isCertainlyUnsent) unanswered = failure;
      if (!isTemporary(failure, pace) || !isRepeatable(call) || !hasTime)
        throw finalFailure(call, failure, unanswered);
      await pause(waitMs, signal);
    }
  }
}

/** An attempt without an answer may have been carried out, and the caller has to know that. */
function finalFailure(call: Call, failure: unknown, unanswered: UnreachableError | undefined): unknown {
  if (call.method === 'GET') return failure;
  const idempotencyKey = call.headers[IDEMPOTENCY_KEY];
  if (failure instanceof UnreachableError) return failure.ofChange(unanswered !== undefined, idempotencyKey);
  if (!(failure instanceof ApiError) || unanswered === undefined) return failure;
  const isCertain = idempotencyKey !== undefined && !isTemporary(failure, paceOf(call.isUrgent));
  return isCertain ? failure : failure.afterUnanswered(unanswered);
}
