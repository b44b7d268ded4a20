import { CONTROL_BYTES_MAX, PUBLISH_BYTES_MAX } from './limits.ts';

export const CONNECT_FRAME = 1;
export const PUBLISH_FRAME = 3;
export const DISCONNECT_FRAME = 14;

const LENGTH_SHIFT_MAX = 21;

/** Bytes that no device of ours would send. */
export class FrameRefused extends Error {}

/**
 * Follows a byte stream from MQTT packet to packet by reading fixed headers only, so that an oversized packet is known
 * by its first five bytes and none of it needs to be collected.
 */
export class FrameScanner {
  #type = 0;
  #inHeader = false;
  #length = 0;
  #lengthShift = 0;
  #bodyLeft = 0;

  /** The type of the packet begun last; 0 before the first. */
  get type(): number {
    return this.#type;
  }

  get betweenFrames(): boolean {
    return !this.#inHeader && this.#bodyLeft === 0;
  }

  /** Reads on from `offset`, to the end of the packet or of the chunk, and says how far it came. */
  advance(chunk: Buffer, offset: number): number {
    let at = offset;
    if (this.betweenFrames) this.#begin(chunk.readUInt8(at++));
    while (this.#inHeader && at < chunk.length) this.#lengthByte(chunk.readUInt8(at++));
    const step = Math.min(this.#bodyLeft, chunk.length - at);
    this.#bodyLeft -= step;
    return at + step;
  }

  #begin(byte: number): void {
    const type = byte >> 4;
    if (this.#type === 0 && type !== CONNECT_FRAME)
      throw new FrameRefused('connection does not begin with CONNECT');
    this.#type = type;
    this.#inHeader = true;
    this.#length = 0;
    this.#lengthShift = 0;
  }

  #lengthByte(byte: number): void {
    this.#length |= (byte & 0x7f) << this.#lengthShift;
    const bytesMax = this.#type === PUBLISH_FRAME ? PUBLISH_BYTES_MAX : CONTROL_BYTES_MAX;
    if (this.#length > bytesMax) throw new FrameRefused(`packet is larger than ${bytesMax} bytes`);
    if ((byte & 0x80) === 0) {
      this.#inHeader = false;
      this.#bodyLeft = this.#length;
      return;
    }
    this.#lengthShift += 7;
    if (this.#lengthShift > LENGTH_SHIFT_MAX) throw new FrameRefused('packet length is malformed');
  }
}
