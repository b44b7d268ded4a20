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

/** Says which share of the processor time the host took away since then. */
export async function stolenSince(start: ProcessorTime | null): Promise<string> {
  const end = await processorTime();
  if (start === null || end === null) return 'not known on this system';
  const share = (end.stolen - start.stolen) / Math.max(1, end.total - start.total);
  return `${(share * 100).toFixed(1)} %`;
}
