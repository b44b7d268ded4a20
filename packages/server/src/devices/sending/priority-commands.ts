import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { unstoredStopDetail } from '@granary/core/commands/sentences';
import type { Delivery } from '@granary/link/port';
import { isStorageFault } from '@granary/store/errors';
import type { UrgentDeadline } from './urgent-deadline.ts';

/** Further commands are sent but not repeated, and their callers are asked to repeat them. */
const UNSTORED_MAX = 10_000;
const RETRIED_AT_ONCE_MAX = 100;
/** For each command this many requests are stored later, so that the audit log names everybody who asked for it. */
const UNSTORED_OF_COMMAND_MAX = 50;
/** How long an answer waits to know whether the message was written to the connection. */
const DELIVERY_MS_MAX = 50;
/** A stop that is being repeated is not sent again within this time, whoever asks for it; a little less than the time between two repetitions. */
const SENT_AGAIN_MS_MIN = 450;
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
  /** Stores the command after the attempt for its caller has failed. */
  storeLater(): Promise<unknown>;
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

/** A message that was passed to the link. */
interface LastSend {
  readonly atMs: number;
  readonly delivery: Promise<Delivery>;
  hasFailed: boolean;
}

/** A command with all requests for it that wait for their answer, or to be stored. */
interface Current {
  readonly command: PriorityCommand;
  answering: number;
  /** The requests that could not be stored in time. */
  readonly unstored: Set<PriorityCommand>;
  /** True when one of the requests has stored the command; from then on it is repeated from what is stored. */
  isStored: boolean;
  lastSend: LastSend | null;
}

/** `LATE` while the link has not answered. */
type KnownDelivery = Delivery | typeof LATE;

interface Storing<State> {
  readonly deadline: UrgentDeadline;
  /** Stores the command together with its idempotency key. */
  readonly storeForCaller: () => Promise<StoreResult<State>>;
  /** The state to assume when storing fails or takes too long. */
  readonly assumedState: () => Promise<StoreResult<State>>;
}

/**
 * Sends stops without waiting for the storage. A stop that cannot be stored is kept in memory and repeated until it is stored; however
 * many requests there are for it, the device gets it as often as for one.
 */
export class PriorityCommands {
  /** The commands that are not stored yet, by name. */
  readonly #current = new Map<string, Current>();
  /** The commands with a request that could not be stored. */
  readonly #unstored = new Set<Current>();
  /** When each emergency stop that was not stored in time was stored after all, by `performance.now()`; infinite until then. */
  readonly #blocking = new Map<PriorityCommand, number>();

  /** Whether movement is blocked: its write began, at `begunAtMs`, before the emergency stop was stored, so it has not seen the stop. */
  isMotionBlocked(deviceId: string, begunAtMs: number): boolean {
    if (this.#blocking.size === 0) return false;
    return [...this.#blocking].some(
      ([command, storedAtMs]) => command.deviceId === deviceId && begunAtMs <= storedAtMs,
    );
  }

  async sendAndStore<State>(command: PriorityCommand, storing: Storing<State>): Promise<SendResult<State>> {
    const current = this.#begin(command);
    try {
      return await this.#sendAndStore(current, command, storing);
    } finally {
      current.answering -= 1;
      this.#end(current);
    }
  }

  /** Sends the commands again that could not be stored. */
  repeat(): void {
    for (const current of this.#unstored) if (!current.isStored) void sendUnlessJustSent(current);
  }

  /** Stores the commands that could not be stored before; each is tried, also when another fails. */
  async retry(): Promise<void> {
    const outcomes = await Promise.allSettled(
      [...this.#unstored].slice(0, RETRIED_AT_ONCE_MAX).map(async (current) => {
        // A failing command moves to the end of the queue.
        this.#unstored.delete(current);
        this.#unstored.add(current);
        for (const request of current.unstored) {
          await request.storeLater();
          this.#stored(current, request);
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

  async #sendAndStore<State>(
    current: Current,
    request: PriorityCommand,
    { deadline, storeForCaller, assumedState }: Storing<State>,
  ): Promise<SendResult<State>> {
    const sending = setTimeout(() => void sendUnlessJustSent(current), deadline.left('sendMs'));
    const storing = storeForCaller();
    try {
      const stored = await within(deadline.left('storeMs'), storing);
      if (stored !== LATE) {
        if (stored.isToSend) void send(current);
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
    const delivery = await this.#keep(current, request, storing);
    // If the link has not answered yet, it has the message, and the device may have it, too.
    const isSent = delivery === 'sent' || delivery === 'in_flight' || delivery === LATE;
    return { state, unstoredDetail: unstoredStopDetail(isSent) };
  }

  #begin(command: PriorityCommand): Current {
    const { name } = command;
    const begun = {
      command,
      answering: 0,
      unstored: new Set<PriorityCommand>(),
      isStored: false,
      lastSend: null,
    };
    const current = this.#current.get(name) ?? begun;
    this.#current.set(name, current);
    current.answering += 1;
    return current;
  }

  /** Only the result of sending is waited for; everything else is done before this returns. */
  #keep(current: Current, request: PriorityCommand, storing: Promise<unknown>): Promise<KnownDelivery> {
    const { command, unstored } = current;
    const isKept = this.#unstored.has(current);
    const isFull = !isKept && this.#unstored.size >= UNSTORED_MAX;
    // The second message stops what may have been sent to the device between the stop and now.
    const delivery = within(DELIVERY_MS_MAX, isKept ? sendUnlessJustSent(current) : send(current));
    if (isFull) return delivery.then(refuseUnstored);
    if (unstored.size < UNSTORED_OF_COMMAND_MAX) unstored.add(request);
    this.#unstored.add(current);
    if (command.blocksMotion && !current.isStored) this.#blocking.set(command, Number.POSITIVE_INFINITY);
    // The first attempt may still succeed after its time limit.
    storing.then(
      () => this.#stored(current, request),
      () => undefined,
    );
    return delivery;
  }

  #stored(current: Current, request: PriorityCommand): void {
    const { command, unstored } = current;
    unstored.delete(request);
    if (unstored.size === 0) this.#unstored.delete(current);
    if (current.isStored) return;
    current.isStored = true;
    this.#end(current);
    if (this.#blocking.has(command)) this.#blocking.set(command, performance.now());
    setTimeout(() => this.#blocking.delete(command), BLOCKED_AFTER_STORED_MS).unref();
  }

  /** Ends a command that is stored: its stop may have been confirmed and released since, so a further request makes a new one. */
  #end(current: Current): void {
    const { command, answering, unstored, isStored } = current;
    const isOver = isStored || (answering === 0 && unstored.size === 0);
    if (isOver && this.#current.get(command.name) === current) this.#current.delete(command.name);
  }
}

function send(current: Current): Promise<Delivery> {
  const delivery = current.command.send();
  const lastSend: LastSend = { atMs: performance.now(), delivery, hasFailed: false };
  current.lastSend = lastSend;
  void delivery.then((known) => {
    lastSend.hasFailed = known !== 'sent' && known !== 'in_flight';
  });
  return delivery;
}

function sendUnlessJustSent(current: Current): Promise<Delivery> {
  const { lastSend } = current;
  const isRecent = lastSend !== null && performance.now() - lastSend.atMs < SENT_AGAIN_MS_MIN;
  return isRecent && !lastSend.hasFailed ? lastSend.delivery : send(current);
}

function refuseUnstored(delivery: KnownDelivery): never {
  const shown = delivery === LATE ? 'on its way' : delivery;
  throw new Refusal(
    'storage_unavailable',
    `the stop is ${shown}, but too many wait to be stored: send it again`,
  );
}
