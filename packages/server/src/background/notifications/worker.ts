import type { App } from '@granary/app/app';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import type { Readers } from '@granary/core/notifications/message';
import type { Logger } from '../../process/logging/logger.ts';
import type { Settings } from '../../process/settings.ts';
import type { SetAsideLog } from '../set-aside-log.ts';
import type { Mailer } from './mailer.ts';
import type { NotificationSender } from './sender.ts';

/** How late an escalation or the end of quiet hours is noticed. */
const ROUND_MS = SECOND_MS;
/** Events are read also without an alert among them, so that the next alert does not wait until all of them are read. */
const EVENTS_UNREAD_MAX = 5_000;

/** Messages link to the operators' page only where people can reach it. */
export const readersOf = ({
  console,
  publicUrl,
  timeZone,
}: Pick<Settings, 'console' | 'publicUrl' | 'timeZone'>): Readers => ({
  consoleUrl: console && publicUrl !== null ? publicUrl.replace(/\/$/, '') : null,
  timeZone,
});

/** The mail library is loaded only where e-mail is set up. */
export async function openMailer({
  smtp,
  mailFrom,
}: Pick<Settings, 'smtp' | 'mailFrom'>): Promise<Mailer | null> {
  if (smtp === null || mailFrom === null) return null;
  const { Mailer } = await import('./mailer.ts');
  return new Mailer(smtp, mailFrom);
}

interface WorkerParts {
  readonly app: { readonly notifications: Pick<App['notifications'], 'hasDueNotices' | 'advance'> };
  readonly sender: Pick<NotificationSender, 'wake'>;
  readonly readers: Readers;
  readonly setAside: SetAsideLog;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Decides whom to tell about alerts: reads the event log and writes the messages that are due. Everything is stored, so it
 * may run on several nodes and continues after a crash where it was.
 */
export class NotificationWorker {
  readonly #parts: WorkerParts;
  readonly #rounds: PeriodicWork;
  /** True at the start, because events may have been logged before. */
  #hasNewEvents = true;
  #eventsUnread = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicWork({
      doing: 'deciding whom to tell about alerts',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#run(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Gets every event of every node soon after it was logged. */
  observe(events: readonly StoredEvent[]): void {
    this.#eventsUnread += events.length;
    const isTold = events.some(({ type }) => type.startsWith('alert.') || type.startsWith('operation.'));
    if (!isTold && this.#eventsUnread < EVENTS_UNREAD_MAX) return;
    this.#hasNewEvents = true;
    this.#rounds.wake();
  }

  async #run(): Promise<void> {
    const { app, sender, setAside, readers, now } = this.#parts;
    if (!this.#hasNewEvents && !(await app.notifications.hasDueNotices(now()))) return;
    let hasMore = true;
    while (hasMore && !this.#rounds.isStopped) {
      this.#hasNewEvents = false;
      this.#eventsUnread = 0;
      try {
        const receipt = await app.notifications.advance({ nowMs: now(), ...readers });
        setAside.note(receipt.setAside);
        hasMore = receipt.hasMore;
      } catch (error) {
        this.#hasNewEvents = true;
        throw error;
      }
      sender.wake();
    }
  }
}
