import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Names the file into which a watched service writes the figures since the last SIGUSR2 when it gets the next one. */
export const TURNS_FILE = 'BENCH_TURNS_FILE';

/** The turns of the event loop of a main thread, without the time in which it waited for events. */
export interface TurnFigures {
  readonly turns: number;
  /** The longest wait of a stop for the thread, including the time that other processes and the host took. */
  readonly longestMs: number;
  /** The longest processor time of the main thread alone. */
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
    // Without a reference the callback runs once in each turn and causes no turn.
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

/** The turns of the main thread since the last call. */
export async function turnsSinceLast(
  { pid }: { readonly pid: number },
  turnsFile: string,
): Promise<TurnFigures> {
  await rm(turnsFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(turnsFile, 'utf8').catch(() => '');
    if (text.endsWith('}')) return JSON.parse(text) as TurnFigures;
    await sleep(10);
  }
}
