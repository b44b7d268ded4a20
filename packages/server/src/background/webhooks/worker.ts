import type { App } from '@granary/app/app';
import type { TakenDeliveries, TakenDelivery } from '@granary/app/webhooks/sending';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import {
  type AttemptOutcome,
  isSuccess,
  RETRY_SCHEDULE,
  type RetrySchedule,
} from '@granary/core/webhooks/attempts';
import type { Logger } from '../../process/logging/logger.ts';
import { loggedEvent } from '../event-feed.ts';
import { keepingLease, LEASE_MS } from '../lease.ts';
import type { AddressGuard, Resolve } from './address-guard.ts';
import { ATTEMPT_MS_MAX, signatureHeaders, WebhookSender } from './sender.ts';

/** The attempts of one webhook that run at the same time on this node. */
const ATTEMPTS_AT_ONCE_MAX = 8;

/** After this many failures in a row only one attempt is made at a time, and the next one with the next poll. */
const FAILURES_IN_A_ROW_MAX = 10;

/** How soon retries and the work of other nodes are found; new events wake the worker. */
const POLL_MS = SECOND_MS;
/** How long the stop of the service waits for attempts that are under way. */
const STOP_MS_MAX = 3 * SECOND_MS;

/** Tests shorten the times and answer the look-ups of names. */
export interface WebhookOptions {
  readonly schedule?: RetrySchedule;
  readonly leaseMs?: number;
  readonly attemptMs?: number;
  readonly resolve?: Resolve;
}

interface WorkerParts {
  readonly webhooks: App['webhooks'];
  readonly addressGuard: AddressGuard;
  readonly logger: Logger;
  readonly now: () => number;
  readonly options: WebhookOptions;
}

/** Turns new events into deliveries and sends those that are due. All state is stored, so several nodes may run it at once. */
export class WebhookWorker {
  readonly #parts: WorkerParts;
  readonly #queues = new Map<number, WebhookQueue>();
  readonly #aborted = new AbortController();
  readonly #queueParts: QueueParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { schedule = RETRY_SCHEDULE, leaseMs = LEASE_MS, attemptMs = ATTEMPT_MS_MAX } = parts.options;
    const sender = new WebhookSender(parts.addressGuard, attemptMs, parts.now);
    this.#queueParts = { ...parts, sender, schedule, leaseMs, signal: this.#aborted.signal };
    this.#rounds = new PeriodicWork({
      doing: 'looking for webhook deliveries',
      everyMs: POLL_MS,
      logger: parts.logger,
      run: () => this.#run(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Attempts that do not end in time are abandoned; they are repeated after their lease. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    const timer = setTimeout(() => this.#aborted.abort(), STOP_MS_MAX);
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
    clearTimeout(timer);
  }

  /** Any event may be one that a webhook asks for. */
  observe(): void {
    this.wake();
  }

  /** Looks for work now, because an event was logged or a webhook was changed. */
  wake(): void {
    this.#rounds.wake();
  }

  async #run(): Promise<void> {
    const { webhooks, now } = this.#parts;
    for (let isAdvancing = true; isAdvancing && !this.#rounds.isStopped; ) {
      isAdvancing = await this.#distribute();
      for (const webhookNo of await webhooks.due(now())) this.#queueOf(webhookNo).wake();
      for (const [webhookNo, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(webhookNo);
    }
  }

  /** Makes one step for the webhooks of each position, so that one that is far behind does not delay the others. */
  async #distribute(): Promise<boolean> {
    const { webhooks, now } = this.#parts;
    let advanced = 0;
    for (const position of await webhooks.positionsBehind()) {
      if (this.#rounds.isStopped) return false;
      advanced += await webhooks.distribute({ position, nowMs: now() });
    }
    return advanced > 0;
  }

  #queueOf(webhookNo: number): WebhookQueue {
    const known = this.#queues.get(webhookNo);
    if (known !== undefined) return known;
    const queue = new WebhookQueue(this.#queueParts, webhookNo);
    this.#queues.set(webhookNo, queue);
    return queue;
  }
}

interface QueueParts {
  readonly webhooks: Pick<App['webhooks'], 'take' | 'renew' | 'record'>;
  readonly sender: WebhookSender;
  readonly logger: Logger;
  readonly now: () => number;
  readonly schedule: RetrySchedule;
  /** The length of a lease, which is renewed while an attempt is under way. */
  readonly leaseMs: number;
  readonly signal: AbortSignal;
}

interface Leased extends TakenDeliveries {
  readonly leasedUntilMs: number;
}

/** The attempts of one webhook, so that a receiver that hangs delays no other. */
class WebhookQueue {
  readonly #parts: QueueParts;
  readonly #webhookNo: number;
  readonly #running = new Set<Promise<void>>();
  #failuresInARow = 0;
  #isWoken = false;
  #isStopped = false;
  #taking: Promise<void> | null = null;

  constructor(parts: QueueParts, webhookNo: number) {
    this.#parts = parts;
    this.#webhookNo = webhookNo;
  }

  /** Whether the queue can be dropped, because nothing would be lost with it. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#taking === null && !this.#isFailing;
  }

  /** Takes the deliveries that are due, up to the limit. */
  wake(): void {
    this.#isWoken = true;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
  }

  /** Takes no more deliveries, and waits for the attempts that are under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#taking;
    await Promise.all(this.#running);
  }

  get #isFailing(): boolean {
    return this.#failuresInARow >= FAILURES_IN_A_ROW_MAX;
  }

  async #take(): Promise<void> {
    const { webhooks, now, leaseMs, logger } = this.#parts;
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        const limit = (this.#isFailing ? 1 : ATTEMPTS_AT_ONCE_MAX) - this.#running.size;
        if (limit <= 0) return;
        const nowMs = now();
        const leasedUntilMs = nowMs + leaseMs;
        const taken = await webhooks.take({ webhookNo: this.#webhookNo, limit, nowMs, leasedUntilMs });
        for (const delivery of taken?.deliveries ?? []) {
          if (taken !== null) this.#begin({ ...taken, leasedUntilMs }, delivery);
        }
      }
    } catch (error) {
      logger.warn({ err: error }, 'taking webhook deliveries failed');
    }
  }

  #begin(taken: Leased, delivery: TakenDelivery): void {
    const running = this.#attempt(taken, delivery).finally(() => {
      this.#running.delete(running);
      if (!this.#isFailing) this.wake();
    });
    this.#running.add(running);
  }

  async #attempt(taken: Leased, delivery: TakenDelivery): Promise<void> {
    const { webhooks, now, schedule, signal, logger, leaseMs } = this.#parts;
    const { deliveryNo } = delivery;
    const lease = {
      untilMs: taken.leasedUntilMs,
      leaseMs,
      now,
      renew: (fromMs: number, toMs: number) => webhooks.renew({ deliveryNo, fromMs, toMs }),
    };
    const sending = keepingLease(lease, () => this.#send(taken, delivery));
    const outcome = await sending.catch((error: unknown): AttemptOutcome => {
      logger.error({ err: error }, 'a webhook message could not be sent');
      return { kind: 'failed', error: 'the message could not be sent' };
    });
    // The service stops: the message is sent again after the lease, because nobody knows whether it arrived.
    if (signal.aborted && !isSuccess(outcome)) return;
    this.#failuresInARow = isSuccess(outcome) ? 0 : this.#failuresInARow + 1;
    const attempt = { webhookNo: this.#webhookNo, deliveryNo, outcome, nowMs: now() };
    try {
      await webhooks.record({ ...attempt, random: Math.random(), schedule });
    } catch (error) {
      logger.warn({ err: error }, 'the result of a webhook delivery was not stored; it is sent again');
    }
  }

  async #send({ url, secrets }: TakenDeliveries, delivery: TakenDelivery): Promise<AttemptOutcome> {
    const { sender, now, signal } = this.#parts;
    const { messageId, event } = delivery;
    const body = event === null ? delivery.body : JSON.stringify(loggedEvent(event));
    if (body === null) return { kind: 'not_sent', error: 'the event is no longer stored' };
    const headers = signatureHeaders({ messageId, body, secrets, nowMs: now() });
    return await sender.send({ url, headers, body }, signal);
  }
}
