import type { App } from '@granary/app/app';
import type { AttemptOutcome } from '@granary/app/notifications/attempts';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import type { Channel, StoredNotification, Urgency } from '@granary/core/notifications/record';
import type { Logger } from '../../process/logging/logger.ts';
import { keepingLease, LEASE_MS } from '../lease.ts';
import { mailParts } from '../reports/report-html.ts';
import type { Mailer } from './mailer.ts';
import type { Pusher } from './pusher.ts';

const ROUND_MS = SECOND_MS;

/** How many messages of one way are sent at the same time. */
interface Places {
  readonly all: Readonly<Record<Urgency, number>>;
  /**
   * While this many messages of one rule are being sent, no other message of that rule is begun. A person's Web Push is a rule
   * of its own, so browsers that hang delay no other person.
   */
  readonly ofOneRule: number;
}

/** The places together are as few connections as most mail servers accept from one client. */
const PLACES_BY_MAIL: Places = { all: { critical: 4, alert: 4, other: 2 }, ofOneRule: 4 };
const PLACES_BY_PUSH: Places = { all: { critical: 64, alert: 64, other: 32 }, ofOneRule: 4 };
const ERROR_CHARS_MAX = 500;

/** One way of sending. */
export interface Way {
  readonly channel: Channel;
  readonly places: Places;
  send(notification: StoredNotification): Promise<AttemptOutcome>;
  stop(): void;
}

interface SenderParts {
  readonly app: {
    readonly notifications: Pick<App['notifications'], 'hasUnsent' | 'claim' | 'renew' | 'recordAttempt'>;
  };
  readonly way: Way;
  readonly urgency: Urgency;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Sends the stored notifications of one way and urgency. Each sender has places of its own, which are taken again one by one: a
 * mail server that hangs delays nothing but e-mail, and reports that hang delay no alert.
 */
export class NotificationSender {
  readonly #parts: SenderParts;
  readonly #rounds: PeriodicWork;
  /** The attempts that are under way, each with the id of its rule. */
  readonly #running = new Map<Promise<void>, string>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork({
      doing: 'sending notifications',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#send(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Aborts the attempts that are under way; their messages are due again when the leases end. */
  async stop(): Promise<void> {
    const stopped = this.#rounds.stop();
    this.#parts.way.stop();
    await stopped;
    await Promise.all(this.#running.keys());
  }

  wake(): void {
    this.#rounds.wake();
  }

  async #send(): Promise<void> {
    const { app, now, urgency, way } = this.#parts;
    const { all, ofOneRule } = way.places;
    for (let hasMore = true; hasMore && !this.#rounds.isStopped; ) {
      const limit = Math.min(all[urgency] - this.#running.size, ofOneRule);
      const due = { channel: way.channel, urgency, nowMs: now() };
      if (limit <= 0 || !(await app.notifications.hasUnsent(due))) return;
      const leasedUntilMs = due.nowMs + LEASE_MS;
      const withoutRules = this.#rulesWith(ofOneRule);
      const taken = await app.notifications.claim({ ...due, leasedUntilMs, limit, withoutRules });
      for (const one of taken) this.#begin(one, leasedUntilMs);
      hasMore = taken.length === limit;
    }
  }

  #rulesWith(running: number): string[] {
    const rules = Map.groupBy(this.#running.values(), (ruleId) => ruleId);
    return [...rules].flatMap(([ruleId, { length }]) => (length >= running ? [ruleId] : []));
  }

  #begin(notification: StoredNotification, leasedUntilMs: number): void {
    const running = this.#attempt(notification, leasedUntilMs)
      // The message is due again when its lease ends.
      .catch((err: unknown) =>
        this.#parts.logger.warn({ err }, 'the result of a notification was not stored'),
      )
      .finally(() => {
        this.#running.delete(running);
        this.wake();
      });
    this.#running.set(running, notification.ruleId);
  }

  async #attempt(notification: StoredNotification, leasedUntilMs: number): Promise<void> {
    const { app, logger, now } = this.#parts;
    const { notificationId, ruleId } = notification;
    const lease = {
      untilMs: leasedUntilMs,
      leaseMs: LEASE_MS,
      now,
      renew: (fromMs: number, toMs: number) => app.notifications.renew({ notificationId, fromMs, toMs }),
    };
    const outcome = await keepingLease(lease, () => this.#parts.way.send(notification));
    // It is not known whether a message that was interrupted has arrived.
    if (this.#rounds.isStopped && !outcome.isSent) return;
    const after = await app.notifications.recordAttempt({ notificationId, outcome, nowMs: now() });
    if (outcome.isSent || after === undefined) return;
    const { attempts, status } = after;
    const details = { notification_id: notificationId, rule_id: ruleId, attempts, reason: outcome.error };
    if (status === 'failed') logger.error(details, 'a notification could not be sent and is given up');
    else logger.warn(details, 'a notification could not be sent and is tried again');
  }
}

/** `null`: no mail server is set. */
export const byMail = (mailer: Pick<Mailer, 'send' | 'stop'> | null): Way => ({
  channel: 'email',
  places: PLACES_BY_MAIL,
  stop: () => mailer?.stop(),
  send: async ({ notificationId, content: { target, subject, text, report }, createdAtMs }) => {
    try {
      if (!('email' in target)) throw new Error('the target is not an e-mail address');
      if (mailer === null) throw new Error('GRANARY_SMTP_URL is not set');
      const mail = { messageId: notificationId, to: target.email, subject, text, atMs: createdAtMs };
      await mailer.send(report === undefined ? mail : { ...mail, ...mailParts(report) });
      return { isSent: true };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const shown = reason.replace(/\p{Cc}+/gu, ' ').slice(0, ERROR_CHARS_MAX);
      return { isSent: false, error: shown, isPermanent: isPermanentFailure(error) };
    }
  },
});

export const byPush = (pusher: Pick<Pusher, 'send' | 'stop'>): Way => ({
  channel: 'push',
  places: PLACES_BY_PUSH,
  stop: () => pusher.stop(),
  send: (notification) => pusher.send(notification),
});

/** A refusal of the recipient or of the message by the server, which another attempt would get, too. */
export function isPermanentFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  // A refusal of the login or of the sender is about our settings, which can be corrected.
  const isAboutMessage = command === 'RCPT TO' || command === 'DATA';
  return isAboutMessage && typeof responseCode === 'number' && responseCode >= 500;
}
