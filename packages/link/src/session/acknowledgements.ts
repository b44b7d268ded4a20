import { ANSWER_BYTES } from '../mqtt/packet-encoder.ts';

/** An acknowledgement that is owed for one message; it becomes ready when the message is stored. */
export interface Acknowledgement {
  readonly header: number;
  readonly packetId: number;
  isReady: boolean;
}

/** Taken acknowledgements are removed from the list once this many have collected. */
const COMPACT_AT = 1_024;

/** MQTT asks for acknowledgements in the order of the messages, whichever is stored first. */
export class AcknowledgementQueue {
  #owed: Acknowledgement[] = [];
  #taken = 0;

  owe(header: number, packetId: number): Acknowledgement {
    const owed = { header, packetId, isReady: false };
    this.#owed.push(owed);
    return owed;
  }

  /** Every acknowledgement that may be written now, as bytes; `null` if there is none. */
  takeReady(): Buffer | null {
    let end = this.#taken;
    while (this.#owed[end]?.isReady) end++;
    if (end === this.#taken) return null;
    const bytes = Buffer.allocUnsafe((end - this.#taken) * ANSWER_BYTES);
    let at = 0;
    for (const { header, packetId } of this.#owed.slice(this.#taken, end)) {
      at = bytes.writeUInt8(header, at);
      at = bytes.writeUInt8(2, at);
      at = bytes.writeUInt16BE(packetId, at);
    }
    this.#taken = end;
    if (end === this.#owed.length) {
      this.#owed = [];
      this.#taken = 0;
    } else if (end >= COMPACT_AT) {
      this.#owed.splice(0, end);
      this.#taken = 0;
    }
    return bytes;
  }
}
