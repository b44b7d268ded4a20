import { ANSWER_BYTES } from '../mqtt/packet-encoder.ts';

/** The acknowledgement of one message; it becomes ready when the message is stored. */
export interface Acknowledgement {
  readonly header: number;
  readonly packetId: number;
  isReady: boolean;
}

/** Written acknowledgements are removed from the list in blocks of at least this many, because each removal copies the list. */
const COMPACT_AT = 1_024;

/** MQTT requires acknowledgements in the order of the messages, whichever is stored first. */
export class AcknowledgementQueue {
  #pending: Acknowledgement[] = [];
  #taken = 0;

  add(header: number, packetId: number): Acknowledgement {
    const pending = { header, packetId, isReady: false };
    this.#pending.push(pending);
    return pending;
  }

  /** The encoded acknowledgements that may be written now; `null` if there is none. */
  takeReady(): Buffer | null {
    let end = this.#taken;
    while (this.#pending[end]?.isReady) end++;
    if (end === this.#taken) return null;
    const bytes = Buffer.allocUnsafe((end - this.#taken) * ANSWER_BYTES);
    let at = 0;
    for (const { header, packetId } of this.#pending.slice(this.#taken, end)) {
      at = bytes.writeUInt8(header, at);
      at = bytes.writeUInt8(2, at);
      at = bytes.writeUInt16BE(packetId, at);
    }
    this.#taken = end;
    if (end === this.#pending.length) {
      this.#pending = [];
      this.#taken = 0;
    } else if (end >= COMPACT_AT) {
      this.#pending.splice(0, end);
      this.#taken = 0;
    }
    return bytes;
  }
}
