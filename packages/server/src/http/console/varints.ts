/** Reads numbers of up to 53 bits with seven bits in each byte, and bytes between them; throws where they end too early. */
export class Varints {
  readonly #bytes: Buffer;
  #at: number;
  readonly #end: number;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get isOver(): boolean {
    return this.#at >= this.#end;
  }

  next(): number {
    let value = 0;
    for (let weight = 1; weight < Number.MAX_SAFE_INTEGER; weight *= 128) {
      if (this.#at >= this.#end) break;
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
    throw new RangeError('the map is damaged');
  }

  /** Returns this many bytes from the present position. */
  part(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#end) throw new RangeError('the map is damaged');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}
