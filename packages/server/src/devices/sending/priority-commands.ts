import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { unstoredStopDetail } from '@granary/core/commands/sentences';
import type { Delivery } from '@granary/link/port';
import { isStorageFault } from '@granary/store/errors';
import type { UrgentDeadline } from './urgent-deadline.ts';

/** Further commands are sent but not repeated, and their callers are asked to repeat them. */
const UNSTORED_MAX = 10_000;
const RETRIED_AT_ONCE_MAX = 100;
/** Of each command as many requests are stored later, so that the audit log names everybody who asked for it. */
const UNSTORED_OF_COMMAND_MAX = 50;
/** How long an answer waits to know whether the message was written to the connection. */
const DELIVERY_MS_MAX = 50;
/** After this time every write that began before the emergency stop was stored has ended. */
const BLOCKED_AFTER_STORED_MS = 5_000;
/** How long the end of the service waits for the storage. */
const STORE_REST_MS_MAX = 10_000;

/** A message that is sent to a device even while nothing can be stored. */
export interface PriorityCommand {
  /** Equal commands have the same name, so that each is sent once, however many requests ask for it. */
  readonly name: string;
  readonly deviceId: string;
  /** No message that can cause movement is sent to the device unless its write began after this command was stored. */
  readonly blocksMotion: boolean;
  /** Passes the message to the link before it returns; may be called repeatedly, and never rejects. */
  send(): Promise<Delivery>;
  /** Stores the command after the first attempt has failed. */
  store(): Promise<unknown>;
}

export interface StoreResult<State> {
  readonly state: State;
  readonly isToSend: boolean;
}

export interface SendResult<State> {
  readonly state: State;
  /** The status detail of a command that is not stored yet; `null` when it is stored, or when nothing was sent. */
  readonly unstoredDetail: ReturnType<typeof unstoredStopDetail> | null;
}

/** A command with all requests for it that are not stored yet. */
interface Unstored {
  readonly command: PriorityCommand;
  readonly requests: Set<PriorityCommand>;
}

/** `LATE` while the link has not answered. */
type KnownDelivery = Delivery | typeof LATE;

interface Storing<State> {
  readonly deadline: UrgentDeadline;
  /** Stores the command together with its idempotency key. */
  readonly store: () => Promise<StoreResult<State>>;
  /** The state to assume when storing fails or takes too long. */
  readonly assumedState: () => Promise<StoreResult<State>>;
}

/** Sends stops without waiting for the storage; a stop that cannot be stored is kept in memory and repeated until it is stored. */
export class PriorityCommands {
  readonly #unstored = new Map<string, Unstored>();
  /** When each was stored, by `performance.now()`. */
  readonly #blocking = new Map<PriorityCommand, number>();

  /** Blocks movement whose write began, at `begunAtMs`, while an emergency stop was not stored: it has not seen the stop. */
  isMotionBlocked(deviceId: string, begunAtMs: number): boolean {
    if (this.#blocking.size === 0) return false;
    return [...this.#blocking].some(
      ([command, storedAtMs]) => command.deviceId === deviceId && begunAtMs <= storedAtMs,
    );
  }

  async sendAndStore<State>(
    command: PriorityCommand,
    { deadline, store, assumedState }: Storing<State>,
  ): Promise<SendResult<State>> {
    const sending = setTimeout(() => void command.send(), deadline.left('sendMs'));
    const storing = store();
    try {
      const stored = await within(deadline.left('storeMs'), storing);
      if (stored !== LATE) {
        if (stored.isToSend) void command.send();
        return { state: stored.state, unstoredDetail: null };
      }
    } catch (error) {
      // A refusal is an answer, but a fault of the service, such as a damaged row, must not prevent the stop.
      if (error instanceof Refusal && !isStorageFault(error)) throw error;
    } finally {
      clearTimeout(sending);
    }
    const { state, isToSend } = await assumedState();
    if (!isToSend) return { state, unstoredDetail: null };
    const delivery = await this.#keep(command, storing);
    // A link that has not answered yet has the message, and the device may have it, too.
    const isSent = delivery === 'sent' || delivery === 'in_flight' || delivery === LATE;
    return { state, unstoredDetail: unstoredStopDetail(isSent) };
  }

  /** Sends the commands again that could not be stored. */
  repeat(): void {
    for (const { command } of this.#unstored.values()) void command.send();
  }

  /** Stores the commands that could not be stored before; each is tried, also when another fails. */
  async retry(): Promise<void> {
    const outcomes = await Promise.allSettled(
      [...this.#unstored.values()].slice(0, RETRIED_AT_ONCE_MAX).map(async (unstored) => {
        // A failing command moves to the end of the queue.
        this.#unstored.delete(unstored.command.name);
        this.#unstored.set(unstored.command.name, unstored);
        for (const request of unstored.requests) {
          await request.store();
          this.#stored(request);
        }
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Stores all that is left when the service ends; rejects when the storage fails, or does not answer in time. */
  async storeRest(): Promise<void> {
    const storing = async () => {
      while (this.#unstored.size > 0) await this.retry();
    };
    if ((await within(STORE_REST_MS_MAX, storing())) === LATE) {
      throw new Error(`${this.#unstored.size} stops could not be stored in time`);
    }
  }

  /** Everything but the result of sending is done before this returns. */
  #keep(command: PriorityCommand, storing: Promise<unknown>): Promise<KnownDelivery> {
    const delivery = within(DELIVERY_MS_MAX, command.send());
    if (this.#unstored.size >= UNSTORED_MAX) {
      return delivery.then(refuseUnstored);
    }
    const unstored = this.#unstored.get(command.name) ?? { command, requests: new Set() };
    if (unstored.requests.size < UNSTORED_OF_COMMAND_MAX) unstored.requests.add(command);
    this.#unstored.set(command.name, unstored);
    if (command.blocksMotion) this.#blocking.set(command, Number.POSITIVE_INFINITY);
    // The first attempt may still succeed after its time limit.
    storing.then(
      () => this.#stored(command),
      () => undefined,
    );
    return delivery;
  }

  #stored(command: PriorityCommand): void {
    const unstored = this.#unstored.get(command.name);
    unstored?.requests.delete(command);
    if (unstored?.requests.size === 0) this.#unstored.delete(command.name);
    if (this.#blocking.has(command)) this.#blocking.set(command, performance.now());
    setTimeout(() => this.#blocking.delete(command), BLOCKED_AFTER_STORED_MS).unref();
  }
}

function refuseUnstored(delivery: KnownDelivery): never {
  const shown = delivery === LATE ? 'on its way' : delivery;
  throw new Refusal(
    'storage_unavailable',
    `the stop is ${shown}, but too many wait to be stored: send it again`,
  );
}
