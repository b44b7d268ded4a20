import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';
import { RETRY_SCHEDULE, type RetrySchedule } from '@granary/core/webhooks/attempts';
import type { Logger } from '../logging/logger.ts';
import { LEASE_MS } from '../workers/lease.ts';
import type { AddressGuard, Resolve } from './address-guard.ts';
import { type LaneParts, WebhookLane } from './lane.ts';
import { ATTEMPT_MS_MAX, WebhookSender } from './sender.ts';

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
  readonly #lanes = new Map<number, WebhookLane>();
  readonly #aborted = new AbortController();
  readonly #laneParts: LaneParts;
  #isWoken = false;
  #isStopped = false;
  #isFailing = false;
  #round: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { schedule = RETRY_SCHEDULE, leaseMs = LEASE_MS, attemptMs = ATTEMPT_MS_MAX } = parts.options;
    const sender = new WebhookSender(parts.addressGuard, attemptMs, parts.now);
    this.#laneParts = { ...parts, sender, schedule, leaseMs, signal: this.#aborted.signal };
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), POLL_MS);
    this.wake();
  }

  /** Attempts that do not end in time are abandoned; they are repeated after their lease. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
    const timer = setTimeout(() => this.#aborted.abort(), STOP_MS_MAX);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    clearTimeout(timer);
  }

  /** Looks for work now, because an event was logged or a webhook was changed. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    this.#round ??= this.#run().finally(() => {
      this.#round = null;
    });
  }

  async #run(): Promise<void> {
    const { webhooks, logger, now } = this.#parts;
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        if (await this.#distribute()) this.#isWoken = true;
        for (const webhookNo of await webhooks.due(now())) this.#laneOf(webhookNo).wake();
        for (const [webhookNo, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(webhookNo);
      }
      this.#isFailing = false;
    } catch (error) {
      // The next poll tries again; an outage is logged once.
      if (!this.#isFailing) logger.warn({ err: error }, 'looking for webhook deliveries failed');
      this.#isFailing = true;
    }
  }

  /** One step for the webhooks of each position, so that one that is far behind does not delay the others. */
  async #distribute(): Promise<boolean> {
    const { webhooks, now } = this.#parts;
    let advanced = 0;
    for (const position of await webhooks.positionsBehind()) {
      if (this.#isStopped) return false;
      advanced += await webhooks.distribute({ position, nowMs: now() });
    }
    return advanced > 0;
  }

  #laneOf(webhookNo: number): WebhookLane {
    const known = this.#lanes.get(webhookNo);
    if (known !== undefined) return known;
    const lane = new WebhookLane(this.#laneParts, webhookNo);
    this.#lanes.set(webhookNo, lane);
    return lane;
  }
}
