export const PUBACK = 4;
export const DISCONNECT = 14;

export interface Frame {
  /** The packet type of MQTT 3.1.1. */
  readonly type: number;
  readonly bytes: Buffer;
}

/** Cuts a stream of bytes into MQTT packets without looking into them. */
export class FrameSplitter {
  #pending = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const length = frameLength(this.#pending);
      if (length === null || length > this.#pending.length) return frames;
      const bytes = this.#pending.subarray(0, length);
      frames.push({ type: (bytes[0] ?? 0) >> 4, bytes });
      this.#pending = this.#pending.subarray(length);
    }
  }
}

/** `null` while the length itself has not arrived. */
function frameLength(bytes: Buffer): number | null {
  let remaining = 0;
  for (let position = 1; position < 5; position++) {
    const byte = bytes[position];
    if (byte === undefined) return null;
    remaining += (byte & 0x7f) * 128 ** (position - 1);
    if ((byte & 0x80) === 0) return 1 + position + remaining;
  }
  throw new Error('not MQTT');
}
