import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Where a watched service writes the figures when it gets SIGUSR2; they are those since the last signal. */
export const TURNS_FILE = 'BENCH_TURNS_FILE';

/** The turns of the event loop of a main thread, without the time in which it waited for events. */
export interface TurnFigures {
  readonly turns: number;
  /** As a stop would wait for it, with what other processes and the host took meanwhile. */
  readonly longestMs: number;
  /** Processor time of the main thread alone. */
  readonly longestCpuMs: number;
}

// Loaded by the measured service before its own code, by --import.
const file = process.env[TURNS_FILE];
if (isMainThread && file !== undefined) watch(file);

function watch(file: string): void {
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  turns.enable();
  let longestCpuUs = 0;
  let lastCpuUs = 0;
  const endOfTurn = (): void => {
    const { user, system } = process.threadCpuUsage();
    const cpuUs = user + system;
    longestCpuUs = Math.max(longestCpuUs, cpuUs - lastCpuUs);
    lastCpuUs = cpuUs;
    // Without a reference it runs once in each turn and causes none.
    setImmediate(endOfTurn).unref();
  };
  endOfTurn();
  process.on('SIGUSR2', () => {
    const longestMs = turns.max / 1_000_000;
    const figures: TurnFigures = { turns: turns.count, longestMs, longestCpuMs: longestCpuUs / 1_000 };
    turns.reset();
    longestCpuUs = 0;
    writeFileSync(file, JSON.stringify(figures));
  });
}
