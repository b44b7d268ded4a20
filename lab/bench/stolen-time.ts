import { readFile } from 'node:fs/promises';

/** Processor time of the whole machine in clock ticks since it was started. */
export interface ProcessorTime {
  readonly total: number;
  /** The time in which the host of a virtual machine ran something else although this machine had work to do. */
  readonly stolen: number;
}

/** The columns of `/proc/stat` are user, nice, system, idle, iowait, irq, softirq and steal; later ones are parts of the first two. */
const COLUMNS = 8;

/** Returns null on systems without `/proc/stat`. */
export async function processorTime(): Promise<ProcessorTime | null> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const ticks = /^cpu +([\d ]+)$/m.exec(text)?.[1]?.split(' ').slice(0, COLUMNS).map(Number);
  if (ticks?.length !== COLUMNS) return null;
  return { total: ticks.reduce((sum, value) => sum + value, 0), stolen: ticks[COLUMNS - 1] ?? 0 };
}

/** The share of the processor time that the host took away since then; `null` if it is not known. */
export async function stolenSince(
  start: ProcessorTime | null,
  readTime = processorTime,
): Promise<number | null> {
  const end = await readTime();
  if (start === null || end === null) return null;
  return (end.stolen - start.stolen) / Math.max(1, end.total - start.total);
}

export const asPercent = (share: number | null): string =>
  share === null ? 'not known' : `${(share * 100).toFixed(1)} %`;

/** A larger share distorts even a ratio, because its two sides do not lose the same share. */
const STOLEN_SHARE_MAX = 0.1;
const ATTEMPTS_MAX = 3;

export interface Attempt<Result> {
  readonly result: Result;
  readonly stolen: number | null;
}

/** Repeats the measurement while the host takes much, and returns the attempt of which it took least, whatever its result is. */
export async function leastDisturbed<Result>(
  measure: () => Promise<Result>,
  readTime = processorTime,
): Promise<Attempt<Result>> {
  let best: Attempt<Result> | null = null;
  for (let attempt = 1; ; attempt++) {
    const start = await readTime();
    const result = await measure();
    const stolen = await stolenSince(start, readTime);
    if (best === null || (stolen ?? 0) < (best.stolen ?? 0)) best = { result, stolen };
    if ((best.stolen ?? 0) <= STOLEN_SHARE_MAX || attempt === ATTEMPTS_MAX) return best;
    console.log(`the host took ${asPercent(stolen)} of the processor time: measured again …`);
  }
}
