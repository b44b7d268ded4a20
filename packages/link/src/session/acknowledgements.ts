import { ANSWER_BYTES } from '../mqtt/packet-encoder.ts';

/** Written acknowledgements are removed from the list in blocks of at least this many, because each removal copies the list. */
const COMPACT_AT = 1_024;

/** The mark of a message that is ready, above the header (one byte) and the packet identifier (two bytes). */
const READY = 1 << 24;

/**
 * MQTT requires acknowledgements in the order of the messages, whichever is stored first. Each message has a number, and its
 * data here are only numbers, because every garbage collection copies the objects of waiting messages.
 */
export class AcknowledgementQueue {
  #pending: number[] = [];
  /** The number of bytes of each message that waits to be stored. */
  #bytes: number[] = [];
  /** The number of the first message in the lists. */
  #first = 0;
  #taken = 0;

  /** The number of the next message. */
  get next(): number {
    return this.#first + this.#pending.length;
  }

  add(header: number, packetId: number, bytes = 0): number {
    const message = this.next;
    this.#pending.push((header << 16) | packetId);
    this.#bytes.push(bytes);
    return message;
  }

  bytesOf(message: number): number {
    return this.#bytes[message - this.#first] ?? 0;
  }

  /** Marks the message as stored. */
  ready(message: number): void {
    const index = message - this.#first;
    this.#pending[index] = (this.#pending[index] ?? 0) | READY;
  }

  /** Returns the encoded acknowledgements that may be written now; `null` if there is none. */
  takeReady(): Buffer | null {
    let end = this.#taken;
    while (((this.#pending[end] ?? 0) & READY) !== 0) end++;
    if (end === this.#taken) return null;
    const bytes = Buffer.allocUnsafe((end - this.#taken) * ANSWER_BYTES);
    for (let at = 0; this.#taken < end; at += ANSWER_BYTES) {
      const pending = this.#pending[this.#taken++] ?? 0;
      bytes[at] = (pending >> 16) & 0xff;
      bytes[at + 1] = 2;
      bytes[at + 2] = (pending >> 8) & 0xff;
      bytes[at + 3] = pending & 0xff;
    }
    if (end === this.#pending.length || end >= COMPACT_AT) this.#removeTaken();
    return bytes;
  }

  #removeTaken(): void {
    this.#pending = this.#pending.slice(this.#taken);
    this.#bytes = this.#bytes.slice(this.#taken);
    this.#first += this.#taken;
    this.#taken = 0;
  }
}
