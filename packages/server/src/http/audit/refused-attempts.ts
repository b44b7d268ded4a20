import type { RefusedAttempts as Refusals } from '@granary/app/audit/audit';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { within } from '@granary/common/within';
import { type ErrorCode, type Refusal, STATUS_OF } from '@granary/contract/errors';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isStorageFault } from '@granary/store/errors';
import type { FastifyRequest } from 'fastify';
import type { Logger } from '../../process/logging/logger.ts';
import { callerNetwork } from '../access/caller-address.ts';
import { isUrgentNow } from '../access/urgency.ts';
import { timeLeftMs } from '../request-limit.ts';
import { draftAttempt } from './attempt.ts';

/** Identical refusals within this time share an entry. */
const SHARED_MS = MINUTE_MS;
/** When a caller has this many entries in a minute, its further refusals share entries that name no device. */
const ENTRIES_OF_CALLER_MAX = 100;
/** The limit keeps a flood from many addresses from filling the disk; further refusals are only counted. */
const ENTRIES_PER_MINUTE_MAX = 1_000;
/** The number of refusals that may wait while the storage is not available. */
const WAITING_MAX = 2_000;
const BATCH_MAX = 100;
const RETRY_MS = SECOND_MS;
/** After this time the answer is sent although the refusal is not entered yet. */
const ANSWER_DELAY_MS_MAX = 1_000;

interface RefusedAttemptsParts {
  readonly write: (refusals: readonly Refusals[]) => Promise<unknown>;
  readonly logger: Logger;
  readonly now: () => number;
}

interface Waiting {
  readonly attempt: Attempt;
  readonly code: ErrorCode;
  count: number;
  readonly settle: (() => void)[];
}

/**
 * Enters refused attempts in the audit log, in batches: while one batch is written, the next is collected. Identical
 * refusals of a minute are one entry with a count.
 */
export class RefusedAttempts {
  readonly #parts: RefusedAttemptsParts;
  /** The entries of the current minute by what makes them identical. */
  readonly #attemptOf = new Map<string, Attempt>();
  readonly #entriesOfCaller = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  #minuteBeganAtMs = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | null = null;
  #retryTimer: NodeJS.Timeout | null = null;
  #dropped = 0;

  constructor(parts: RefusedAttemptsParts) {
    this.#parts = parts;
  }

  /** The number of refusals that were not entered. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves when the refusal is on disk, when it is given up, or when it has to wait for the storage. */
  enter(attempt: Attempt, code: ErrorCode): Promise<void> {
    this.#beginMinute();
    const shared = this.#shared(attempt, code);
    const waiting = shared === null ? undefined : this.#waiting.get(shared.attemptId);
    if (shared === null || (waiting === undefined && this.#waiting.size >= WAITING_MAX)) {
      this.#drop(1);
      return Promise.resolve();
    }
    return new Promise((settle) => {
      if (waiting === undefined) {
        this.#waiting.set(shared.attemptId, { attempt: shared, code, count: 1, settle: [settle] });
      } else {
        waiting.count++;
        waiting.settle.push(settle);
      }
      this.#plan();
    });
  }

  /** Writes the refusals that wait, once. */
  async drain(): Promise<void> {
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#retryTimer = null;
    await this.#writing;
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    for (let start = 0; start < left.length; start += BATCH_MAX) {
      const batch = left.slice(start, start + BATCH_MAX);
      await this.#parts.write(batch.map(refusalsOf)).catch(() => this.#drop(countOf(batch)));
      for (const { settle } of batch) for (const one of settle) one();
    }
  }

  /** A clock that was set back begins a new minute, too. */
  #beginMinute(): void {
    const nowMs = this.#parts.now();
    if (Math.abs(nowMs - this.#minuteBeganAtMs) < SHARED_MS) return;
    this.#minuteBeganAtMs = nowMs;
    this.#attemptOf.clear();
    this.#entriesOfCaller.clear();
  }

  /** The attempt under which the refusal is entered; `null` when there are too many. */
  #shared(attempt: Attempt, code: ErrorCode): Attempt | null {
    const { actor, address, action, deviceId } = attempt;
    const caller = actor?.key_id ?? callerNetwork(address);
    const of = (device: string | null): string =>
      JSON.stringify([caller, callerNetwork(address), action, code, device]);
    const known = this.#attemptOf.get(of(deviceId));
    if (known !== undefined) return known;
    const entries = this.#entriesOfCaller.get(caller) ?? 0;
    const isOneTooMany = entries >= ENTRIES_OF_CALLER_MAX;
    const kept: Attempt = isOneTooMany
      ? { ...attempt, deviceId: null, facility: null, resourceId: null, input: null }
      : attempt;
    const name = of(kept.deviceId);
    const shared = this.#attemptOf.get(name);
    if (shared !== undefined) return shared;
    if (this.#attemptOf.size >= ENTRIES_PER_MINUTE_MAX) return null;
    this.#attemptOf.set(name, kept);
    this.#entriesOfCaller.set(caller, entries + 1);
    return kept;
  }

  #plan(): void {
    if (this.#writing !== null || this.#retryTimer !== null) return;
    this.#writing = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#writeBatch())
      .finally(() => {
        this.#writing = null;
        if (this.#waiting.size > 0) this.#plan();
      });
  }

  /** The promise never rejects. */
  async #writeBatch(): Promise<void> {
    const batch = [...this.#waiting.values()].slice(0, BATCH_MAX);
    for (const { attempt } of batch) this.#waiting.delete(attempt.attemptId);
    try {
      await this.#parts.write(batch.map(refusalsOf));
    } catch (error) {
      if (isStorageFault(error)) this.#keep(batch);
      else {
        this.#parts.logger.error({ err: error }, 'refused attempts could not be entered in the audit log');
        this.#drop(countOf(batch));
      }
    }
    for (const { settle } of batch) for (const one of settle.splice(0)) one();
  }

  /** Keeps the refusals of a batch for a later attempt; no answer waits for them any more. */
  #keep(batch: readonly Waiting[]): void {
    for (const kept of batch) {
      const again = this.#waiting.get(kept.attempt.attemptId);
      if (again !== undefined) again.count += kept.count;
      else this.#waiting.set(kept.attempt.attemptId, { ...kept, settle: [] });
    }
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null;
      this.#plan();
    }, RETRY_MS).unref();
  }

  /** Logs the first refusal that was not entered, and then each time the number has doubled. */
  #drop(count: number): void {
    const before = this.#dropped;
    this.#dropped += count;
    if (before > 0 && Math.floor(Math.log2(before)) === Math.floor(Math.log2(this.#dropped))) return;
    this.#parts.logger.warn(
      { not_entered: this.#dropped },
      'refused attempts were not entered in the audit log',
    );
  }
}

const refusalsOf = ({ attempt, code, count }: Waiting): Refusals => ({ attempt, code, count });

const countOf = (batch: readonly Waiting[]): number => batch.reduce((sum, { count }) => sum + count, 0);

/** Returns what the answer has to wait for, or `null`. */
export type RecordRefusal = (request: FastifyRequest, refusal: Refusal) => Promise<unknown> | null;

/** Enters every refused attempt at a change in the audit log. */
export const refusalRecorder =
  (refused: RefusedAttempts, now: () => number): RecordRefusal =>
  (request, refusal) => {
    const endpoint = request.routeOptions.config?.endpoint;
    if (endpoint === undefined || !endpoint.isAudited) return null;
    const entered = refused.enter(draftAttempt(request, endpoint, now()), refusal.code);
    const isUrgent = isUrgentNow(endpoint, request.body);
    return isUrgent || answersAtOnce(refusal)
      ? null
      : within(Math.min(ANSWER_DELAY_MS_MAX, timeLeftMs(request)), entered);
  };

/** The answers to a flood must not wait for the disk, and no answer waits for a storage that fails. */
const answersAtOnce = ({ code }: Refusal): boolean => [401, 429, 503].includes(STATUS_OF[code]);
