import type { OpenBuckets } from '@granary/core/telemetry/open-bucket';

const NUMBER_BYTES = 8;
const HIGH = 2 ** 32;
/** The upper half of the smallest number, which stands for a missing one. */
const MISSING = -(2 ** 31);

/**
 * Writes the bodies of many rows one after another: whole numbers of 64 bits, because SQLite stores one column in a third of
 * the time that 18 take. They share one buffer, because making a small one takes longer than filling it.
 */
export class OpenBucketBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #end = 0;

  constructor(rowsMax: number, numbersMax: number) {
    this.#bytes = new Uint8Array(rowsMax * numbersMax * NUMBER_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The body with the first numbers of open buckets. */
  add(open: OpenBuckets, count: number): Uint8Array {
    const start = this.#end;
    for (let index = 0; index < count; index++)
      this.#put(start + index * NUMBER_BYTES, open[index] ?? Number.NaN);
    this.#end = start + count * NUMBER_BYTES;
    return this.#bytes.subarray(start, this.#end);
  }

  #put(at: number, number: number): void {
    if (Number.isNaN(number)) {
      this.#view.setInt32(at, MISSING);
      return;
    }
    const high = Math.floor(number / HIGH);
    if (!(high > MISSING && high < -MISSING)) throw new RangeError(`${number} has more than 64 bits`);
    this.#view.setInt32(at, high);
    this.#view.setUint32(at + 4, number - high * HIGH);
  }
}

/** Numbers that are not stored are missing. */
export function openBucketsIn(bytes: Uint8Array | null, count: number): OpenBuckets {
  const open = new Float64Array(count).fill(Number.NaN);
  if (bytes === null) return open;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + NUMBER_BYTES <= bytes.byteLength; at += NUMBER_BYTES) {
    const high = view.getInt32(at);
    if (high !== MISSING) open[at / NUMBER_BYTES] = high * HIGH + view.getUint32(at + 4);
  }
  return open;
}
