import { leftMsOf, type RequestTime } from '@granary/common/request-time';
import type { UseCaseCall, UseCases } from '../engine.ts';
import { storageUnavailable } from '../errors.ts';
import type { Connections } from './connections.ts';
import { isConflict, isMissingPartition, isRepeatedKey, translate } from './errors.ts';
import type { PartitionUpkeep } from './partition-upkeep.ts';
import type { Partitions } from './partitions.ts';
import { PostgresSql } from './sql.ts';
import { inTransaction } from './transaction.ts';

const ATTEMPTS_MAX = 5;
/** The time for which more repeated readings are expected after one, because many devices repeat readings after an outage. */
const REPEATS_EXPECTED_MS = 1_000;

interface WriteRunnerParts extends Pick<UseCases, 'callUseCase' | 'isLong'> {
  readonly partitions: Partitions;
  readonly partitionUpkeep: PartitionUpkeep;
  readonly limits: { readonly callMs: number; readonly longMs: number };
}

/** The limits that are longer for a long write, which also computes much between its statements. */
const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'];

/** Runs writes, each in its own transaction, and repeats a write that could not be committed because of another one. */
export class WriteRunner {
  readonly #parts: WriteRunnerParts;
  #commits = 0;
  #repeatsExpectedUntilMs = 0;

  constructor(parts: WriteRunnerParts) {
    this.#parts = parts;
  }

  get commits(): number {
    return this.#commits;
  }

  /** Runs a write; the time limit covers all attempts together, and ends with the request that waits for the write. */
  async run(connections: Connections, call: UseCaseCall, time: RequestTime | null): Promise<unknown> {
    const { callUseCase, partitions, partitionUpkeep, limits } = this.#parts;
    const isLong = this.#parts.isLong(call);
    const limitMs = isLong ? limits.longMs : limits.callMs;
    const endsAtMs = performance.now() + Math.min(limitMs, leftMsOf(time));
    let hasRepeats = false;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const expectsRepeats = hasRepeats || performance.now() < this.#repeatsExpectedUntilMs;
      try {
        const done = await inTransaction(
          connections,
          async (queue) => {
            if (isLong) for (const limit of LIMITS) queue.post(`SET LOCAL ${limit} = ${limits.longMs}`);
            return await callUseCase(new PostgresSql(queue, partitions, expectsRepeats), call);
          },
          endsAtMs - performance.now(),
        );
        this.#commits++;
        // Only long writes mark partitions.
        if (isLong) await partitionUpkeep.dropMarked();
        return done;
      } catch (error) {
        if (isMissingPartition(error)) partitions.forget();
        else if (isRepeatedKey(error) && !expectsRepeats) {
          hasRepeats = true;
          this.#repeatsExpectedUntilMs = performance.now() + REPEATS_EXPECTED_MS;
        } else if (!isConflict(error)) throw translate(error);
      }
    }
    throw storageUnavailable('other writes keep getting in the way');
  }
}
