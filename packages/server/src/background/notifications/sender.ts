import type { App } from '@granary/app/app';
import type { AttemptOutcome } from '@granary/app/notifications/attempts';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import type { Channel, StoredNotification } from '@granary/core/notifications/record';
import { mailParts } from '@granary/core/reports/html';
import type { Logger } from '../../process/logging/logger.ts';
import { keepingLease, LEASE_MS } from '../lease.ts';
import type { Mailer } from './mailer.ts';
import type { Pusher } from './pusher.ts';

const ROUND_MS = SECOND_MS;
/** Messages that are sent at the same time. */
const SENT_AT_ONCE_MAX = 5;
const ERROR_CHARS_MAX = 500;

/** One way of sending. */
export interface Way {
  readonly channel: Channel;
  send(notification: StoredNotification): Promise<AttemptOutcome>;
  stop(): void;
}

interface SenderParts {
  readonly app: {
    readonly notifications: Pick<App['notifications'], 'hasUnsent' | 'claim' | 'renew' | 'recordAttempt'>;
  };
  readonly way: Way;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Sends the stored notifications of one way; a mail server that hangs delays nothing but e-mail. */
export class NotificationSender {
  readonly #parts: SenderParts;
  readonly #rounds: PeriodicWork;

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

  /** Ends what is being sent; it is due again when its lease ends. */
  async stop(): Promise<void> {
    const stopped = this.#rounds.stop();
    this.#parts.way.stop();
    await stopped;
  }

  wake(): void {
    this.#rounds.wake();
  }

  async #send(): Promise<void> {
    const { app, now, way } = this.#parts;
    const { channel } = way;
    while (!this.#rounds.isStopped && (await app.notifications.hasUnsent(channel, now()))) {
      const nowMs = now();
      const leasedUntilMs = nowMs + LEASE_MS;
      const taken = await app.notifications.claim({ channel, nowMs, leasedUntilMs, limit: SENT_AT_ONCE_MAX });
      const attempts = await Promise.allSettled(taken.map((one) => this.#attempt(one, leasedUntilMs)));
      const failed = attempts.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
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
    // Whether a message that was interrupted has arrived is not known.
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
