import { ReadError } from '../read-error.ts';
import type { ReadRequest } from './frame.ts';

/** A range of registers that a device allows to read, with their values. */
export interface ReadableRange {
  readonly first: number;
  readonly last: number;
  readonly words: readonly number[];
}

/**
 * Finds the readable registers between two addresses. A refused block is divided, so that a few requests find large ranges; the
 * device is only read.
 */
export async function scanRegisters(
  ask: (request: ReadRequest) => Promise<Buffer>,
  functionCode: number,
  [first, last]: readonly [number, number],
  countMax: number,
  asked: (address: number) => void,
): Promise<ReadableRange[]> {
  const words = new Map<number, number>();
  const look = async (at: number, count: number): Promise<void> => {
    asked(at);
    try {
      const data = await ask({ functionCode, at, count });
      for (let index = 0; index < count; index += 1) words.set(at + index, data.readUInt16BE(2 * index));
    } catch (error) {
      if (!(error instanceof ReadError) || error.code !== 'exception') throw error;
      if (count === 1) return;
      const half = Math.ceil(count / 2);
      await look(at, half);
      await look(at + half, count - half);
    }
  };
  for (let at = first; at <= last; at += countMax) await look(at, Math.min(countMax, last - at + 1));
  return rangesOf(words);
}

function rangesOf(words: ReadonlyMap<number, number>): ReadableRange[] {
  const ranges: { first: number; last: number; words: number[] }[] = [];
  for (const [address, word] of [...words].sort(([one], [other]) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === address - 1) {
      range.last = address;
      range.words.push(word);
    } else ranges.push({ first: address, last: address, words: [word] });
  }
  return ranges;
}
