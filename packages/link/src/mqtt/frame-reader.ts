import { sentence } from '@granary/contract/sentences/codes';
import { CONTROL_BYTES_MAX, PUBLISH_BYTES_MAX } from '../limits.ts';
import { CONNECT, malformed, ProtocolFault, PUBLISH } from './packet-types.ts';

const LENGTH_SHIFT_MAX = 21;
const FIRST_PART_BYTES = 4 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** One control packet; its body refers to a shared buffer and is valid until the next packet is read. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a byte stream into MQTT packets. An oversized packet is refused at its first five bytes, before its body is
 * buffered; a packet that lies within one chunk is not copied.
 */
export class FrameReader implements Frame {
  type = 0;
  flags = 0;
  bytes: Buffer = NO_BYTES;
  start = 0;
  end = 0;

  #chunk: Buffer = NO_BYTES;
  #at = 0;
  #stage: 'type' | 'length' | 'body' = 'type';
  #length = 0;
  #lengthShift = 0;
  /** The part of a body that arrived in earlier chunks. */
  #part: Buffer = NO_BYTES;
  #partBytes = 0;

  /** Call this only after `next` has returned `null` for the previous chunk. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Returns the next complete packet, or `null` if more bytes are needed. */
  next(): Frame | null {
    const chunk = this.#chunk;
    while (this.#stage !== 'body') {
      if (this.#at >= chunk.length) return this.#needMore();
      const byte = chunk.readUInt8(this.#at++);
      if (this.#stage === 'type') this.#begin(byte);
      else this.#lengthByte(byte);
    }
    const missing = this.#length - this.#partBytes;
    const available = chunk.length - this.#at;
    if (available < missing) {
      if (available > 0) this.#collect(chunk.subarray(this.#at));
      return this.#needMore();
    }
    if (this.#partBytes === 0) {
      this.bytes = chunk;
      this.start = this.#at;
      this.end = this.#at + missing;
    } else {
      this.#collect(chunk.subarray(this.#at, this.#at + missing));
      this.bytes = this.#part;
      this.start = 0;
      this.end = this.#length;
      this.#part = NO_BYTES;
      this.#partBytes = 0;
    }
    this.#at += missing;
    this.#stage = 'type';
    return this;
  }

  #needMore(): null {
    this.#chunk = NO_BYTES;
    this.#at = 0;
    return null;
  }

  #begin(byte: number): void {
    const type = byte >> 4;
    if (this.type === 0 && type !== CONNECT) {
      throw new ProtocolFault(sentence('no_connect_first'));
    }
    this.type = type;
    this.flags = byte & 0x0f;
    this.#stage = 'length';
    this.#length = 0;
    this.#lengthShift = 0;
  }

  #lengthByte(byte: number): void {
    this.#length |= (byte & 0x7f) << this.#lengthShift;
    const bytesMax = this.type === PUBLISH ? PUBLISH_BYTES_MAX : CONTROL_BYTES_MAX;
    if (this.#length > bytesMax) throw new ProtocolFault(sentence('packet_too_large', { limit: bytesMax }));
    if ((byte & 0x80) === 0) {
      this.#stage = 'body';
      return;
    }
    this.#lengthShift += 7;
    if (this.#lengthShift > LENGTH_SHIFT_MAX) throw malformed('its length');
  }

  /** The buffer doubles when it is full, so a peer that sends single bytes causes neither quadratic copying nor a full-size buffer. */
  #collect(bytes: Buffer): void {
    const needed = this.#partBytes + bytes.length;
    if (needed > this.#part.length) {
      const room = Math.min(this.#length, Math.max(FIRST_PART_BYTES, 2 * needed));
      const larger = Buffer.allocUnsafe(room);
      this.#part.copy(larger, 0, 0, this.#partBytes);
      this.#part = larger;
    }
    bytes.copy(this.#part, this.#partBytes);
    this.#partBytes = needed;
  }
}
