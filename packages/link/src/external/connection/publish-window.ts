import type { IPublishPacket } from 'mqtt-packet';
import { WAITING_MAX } from '../limits.ts';

export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
  /** The expiry, which is used with MQTT 5 only; `null` means that the message does not expire. */
  readonly expiryS: number | null;
}

/**
 * The result of a message: the broker answered with this code; it was written without an answer, so that it may or may not have
 * arrived; or it was never written.
 */
export type Publication = { readonly code: number } | 'unanswered' | 'unsent';

/** Codes from here on mean that the broker did not take the message. */
export const FIRST_ERROR = 128;

interface Waiting {
  readonly message: OutgoingMessage;
  readonly settle: (publication: Publication) => void;
}

/** Publishes with QoS 1 as many messages at a time as the broker allows; the others wait in their order. */
export class PublishWindow {
  readonly #write: (packet: IPublishPacket) => void;
  readonly #nextPacketId: () => number;
  readonly #unacknowledged = new Map<number, (publication: Publication) => void>();
  readonly #waiting = new Set<Waiting>();
  #allowed = 0;

  constructor(write: (packet: IPublishPacket) => void, nextPacketId: () => number) {
    this.#write = write;
    this.#nextPacketId = nextPacketId;
  }

  /** Begins to publish. A broker that names no limit allows as many messages as there are identifiers. */
  open(allowed = WAITING_MAX): void {
    this.#allowed = allowed;
  }

  uses(packetId: number): boolean {
    return this.#unacknowledged.has(packetId);
  }

  publish(message: OutgoingMessage, waitMs: number): Promise<Publication> {
    if (this.#allowed === 0 || this.#waiting.size >= WAITING_MAX) return Promise.resolve('unsent');
    const { promise, resolve } = Promise.withResolvers<Publication>();
    const settle = (publication: Publication): void => {
      clearTimeout(timer);
      resolve(publication);
    };
    const waiting = { message, settle };
    const timer = setTimeout(() => resolve(this.#waiting.delete(waiting) ? 'unsent' : 'unanswered'), waitMs);
    this.#waiting.add(waiting);
    this.#writeAllowed();
    return promise;
  }

  acknowledged(packetId: number, code: number): void {
    const settle = this.#unacknowledged.get(packetId);
    this.#unacknowledged.delete(packetId);
    settle?.({ code });
    this.#writeAllowed();
  }

  /** Settles all messages, because nothing can be sent or answered any more. */
  close(): void {
    this.#allowed = 0;
    for (const settle of this.#unacknowledged.values()) settle('unanswered');
    for (const { settle } of this.#waiting) settle('unsent');
    this.#unacknowledged.clear();
    this.#waiting.clear();
  }

  #writeAllowed(): void {
    for (const waiting of this.#waiting) {
      if (this.#unacknowledged.size >= this.#allowed) return;
      this.#waiting.delete(waiting);
      const { topic, payload, isRetained: retain, expiryS } = waiting.message;
      const messageId = this.#nextPacketId();
      this.#unacknowledged.set(messageId, waiting.settle);
      const properties = expiryS === null ? {} : { properties: { messageExpiryInterval: expiryS } };
      this.#write({ cmd: 'publish', topic, payload, retain, qos: 1, dup: false, messageId, ...properties });
    }
  }
}
