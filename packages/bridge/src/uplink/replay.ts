import { LATE, within } from '@granary/common/within';
import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import type { Journal } from './journal.ts';
import { fitting } from './message.ts';
import type { DeviceSession } from './session.ts';

/** The pause between two messages from the journal, so that new readings never wait long behind old ones. */
const PAUSE_MS = 20;
/** The limit of the wait for an acknowledgement: a silent connection must not delay the readings of other devices. */
const ACKNOWLEDGE_MS_MAX = 15_000;
const LOOK_EVERY_MS = 1_000;

/** Delivers the readings in the journal, one message at a time, while new readings are sent directly. Each device gets its turn. */
export class Replay {
  readonly #journal: Pick<Journal, 'next' | 'remove' | 'waitingOf'>;
  readonly #sessions: () => ReadonlyMap<string, Pick<DeviceSession, 'isConnected' | 'publish'>>;
  readonly #mayDeliver: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isStopped = true;

  constructor(
    journal: Pick<Journal, 'next' | 'remove' | 'waitingOf'>,
    sessions: () => ReadonlyMap<string, Pick<DeviceSession, 'isConnected' | 'publish'>>,
    mayDeliver: () => boolean,
  ) {
    this.#journal = journal;
    this.#sessions = sessions;
    this.#mayDeliver = mayDeliver;
  }

  start(): void {
    this.#isStopped = false;
    this.#timer = setInterval(() => this.wake(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  wake(): void {
    if (this.#isRunning || this.#isStopped || !this.#mayDeliver()) return;
    this.#isRunning = true;
    void this.#run().finally(() => {
      this.#isRunning = false;
    });
  }

  async #run(): Promise<void> {
    for (let hasMore = true; hasMore && !this.#isStopped; ) {
      hasMore = false;
      for (const [deviceId, session] of this.#sessions()) {
        if (this.#isStopped) return;
        if (!session.isConnected || this.#journal.waitingOf(deviceId) === 0) continue;
        hasMore = (await this.#sendNext(deviceId, session)) || hasMore;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  /** Sends the next message; returns whether it was delivered. A message that is not acknowledged stays in the journal. */
  async #sendNext(deviceId: string, session: Pick<DeviceSession, 'publish'>): Promise<boolean> {
    const batch = this.#journal.next(deviceId, READINGS_PER_MESSAGE_MAX, fitting);
    if (batch === null) return false;
    try {
      if ((await within(ACKNOWLEDGE_MS_MAX, session.publish(batch.readings))) === LATE) return false;
    } catch {
      return false;
    }
    this.#journal.remove(batch);
    return true;
  }
}
