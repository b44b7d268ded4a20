import type { App } from '@granary/app/app';
import type { AttemptOutcome } from '@granary/app/notifications/attempts';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { StoredNotification } from '@granary/core/notifications/record';
import type { StoredEvent } from '@granary/store/tables/events';
import type { Logger } from '../logging/logger.ts';
import type { SetAsideLog } from '../workers/set-aside-log.ts';
import { isPermanentFailure, type Mailer } from './mailer.ts';

/** How late an escalation or the end of quiet hours is noticed. */
const ROUND_MS = SECOND_MS;
/** Messages that are sent at the same time. */
const SENT_AT_ONCE_MAX = 5;
/** Longer than an attempt takes; another node sends the message when this one has crashed. */
const LEASE_MS = 2 * MINUTE_MS;
/** Events are read also without an alert among them, so that the next alert does not wait until all of them are read. */
const EVENTS_UNREAD_MAX = 5_000;
const ERROR_CHARS_MAX = 500;

interface WorkerParts {
  readonly app: { readonly notifications: App['notifications'] };
  /** `null`: no mail server is set. */
  readonly mailer: Pick<Mailer, 'send'> | null;
  readonly publicUrl: string | null;
  readonly setAside: SetAsideLog;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Tells people about alerts: reads the event log, writes the messages that are due and sends them. Everything is stored, so
 * it may run on several nodes and continues after a crash where it was.
 */
export class NotificationWorker {
  readonly #parts: WorkerParts;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  /** At the start, because of what was logged before. */
  #hasNewEvents = true;
  #isWoken = false;
  #eventsUnread = 0;
  #isFailing = false;
  #isStopped = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.#begin(), ROUND_MS);
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Gets every event of every node soon after it was logged. */
  observe(events: readonly StoredEvent[]): void {
    this.#eventsUnread += events.length;
    const isAboutAlerts = events.some(({ type }) => type.startsWith('alert.'));
    if (!isAboutAlerts && this.#eventsUnread < EVENTS_UNREAD_MAX) return;
    this.#hasNewEvents = true;
    this.wake();
  }

  /** Something may be due. */
  wake(): void {
    this.#isWoken = true;
    if (this.#timer !== undefined) this.#begin();
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#round ??= this.#run().finally(() => {
      this.#round = null;
      if (this.#isWoken && !this.#isFailing) this.#begin();
    });
  }

  async #run(): Promise<void> {
    const { app, logger, now } = this.#parts;
    this.#isWoken = false;
    try {
      if (!this.#hasNewEvents && !(await app.notifications.hasDue(now()))) return;
      await this.#advance();
      await this.#send();
      this.#isFailing = false;
    } catch (error) {
      // The next round tries again; an outage is logged once.
      if (!this.#isFailing) logger.warn({ err: error }, 'telling people about alerts failed');
      this.#isFailing = true;
    }
  }

  async #advance(): Promise<void> {
    const { app, setAside, publicUrl, now } = this.#parts;
    let hasMore = true;
    while (hasMore && !this.#isStopped) {
      this.#hasNewEvents = false;
      this.#eventsUnread = 0;
      try {
        const receipt = await app.notifications.advance({ nowMs: now(), publicUrl });
        setAside.note(receipt.setAside);
        hasMore = receipt.hasMore;
      } catch (error) {
        this.#hasNewEvents = true;
        throw error;
      }
    }
  }

  async #send(): Promise<void> {
    const { app, now } = this.#parts;
    while (!this.#isStopped) {
      const nowMs = now();
      const taken = await app.notifications.claim({
        ...{ nowMs, leasedUntilMs: nowMs + LEASE_MS, limit: SENT_AT_ONCE_MAX },
      });
      if (taken.length === 0) return;
      await Promise.all(taken.map((one) => this.#attempt(one)));
    }
  }

  async #attempt(notification: StoredNotification): Promise<void> {
    const { app, logger, now } = this.#parts;
    const { notificationId, ruleId } = notification;
    const outcome = await this.#outcomeOf(notification);
    const after = await app.notifications.recordAttempt({ notificationId, outcome, nowMs: now() });
    if (outcome.isSent || after === undefined) return;
    const { attempts, status } = after;
    const details = { notificationId, ruleId, attempts, reason: outcome.error };
    if (status === 'failed') logger.error(details, 'a notification could not be sent and is given up');
    else logger.warn(details, 'a notification could not be sent and is tried again');
  }

  async #outcomeOf({ notificationId, content, createdAtMs }: StoredNotification): Promise<AttemptOutcome> {
    const { target, subject, text } = content;
    try {
      if (!('email' in target)) throw new Error('the target is not an e-mail address');
      if (this.#parts.mailer === null) throw new Error('GRANARY_SMTP_URL is not set');
      const mail = { messageId: notificationId, to: target.email, subject, text, atMs: createdAtMs };
      await this.#parts.mailer.send(mail);
      return { isSent: true };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const shown = reason.replace(/\p{Cc}+/gu, ' ').slice(0, ERROR_CHARS_MAX);
      return { isSent: false, error: shown, isPermanent: isPermanentFailure(error) };
    }
  }
}
