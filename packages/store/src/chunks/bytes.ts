const INITIAL_BYTES = 256;
const WORD_MAX = 2 ** 31 - 1;

/** A growing list of bytes. */
export class ByteList {
  #bytes: Uint8Array;
  #length = 0;

  constructor(size = INITIAL_BYTES) {
    this.#bytes = new Uint8Array(size);
  }

  get length(): number {
    return this.#length;
  }

  push(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(this.#length + 1);
    this.#bytes[this.#length++] = byte;
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(this.#length + bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Adds a whole number from 0 to 2^53 − 1, seven bits in each byte, the lowest bits first. */
  pushNumber(number: number): void {
    let large = number;
    while (large > WORD_MAX) {
      this.push((large % 0x80) | 0x80);
      large = Math.floor(large / 0x80);
    }
    // Bits of a word take a fraction of the time of a division.
    let rest = large | 0;
    while (rest >= 0x80) {
      this.push((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    this.push(rest);
  }

  /** Returns the bytes from a place on. Bytes that are added later do not change the view. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  #grow(lengthMin: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, lengthMin));
    grown.set(this.view());
    this.#bytes = grown;
  }
}

/** Reads a list of bytes from its beginning. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  next(): number {
    const byte = this.#bytes[this.#position++];
    if (byte === undefined) throw new RangeError('a chunk of readings ends too early');
    return byte;
  }

  nextNumber(): number {
    let number = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.next();
      if (byte < 0x80) return number + byte * factor;
      number += (byte - 0x80) * factor;
    }
  }

  skipNumbers(count: number): void {
    for (let index = 0; index < count; index++) while (this.next() >= 0x80);
  }

  take(length: number): Uint8Array {
    const end = this.#position + length;
    if (end > this.#bytes.length) throw new RangeError('a chunk of readings ends too early');
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }
}

/** Small positive and small negative numbers become small positive ones. */
export const zigzag = (number: number): number => (number >= 0 ? 2 * number : -2 * number - 1);

export const unzigzag = (number: number): number => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);
