import { parentPort, Worker, workerData } from 'node:worker_threads';
import { whole } from '../bench/report.ts';

const STALL_MS_MIN = 100;
const LISTED_MAX = 10;
const NAMED = 'A thread with nothing else to do';
const WAKE_MS = 20;
const THREAD = 'records stalls';

/** An idle thread woke up later than it asked for: for this time the machine ran something else, or nothing. */
interface Stall {
  readonly atMs: number;
  readonly lateMs: number;
}

/** Records the stalls of the machine, which delay everything that is measured on it. */
export class StallRecorder {
  readonly stalls: Stall[] = [];
  readonly #thread: Worker;

  constructor() {
    this.#thread = new Worker(import.meta.filename, { execArgv: [], workerData: THREAD });
    this.#thread.on('message', (stall: Stall) => this.stalls.push(stall));
    this.#thread.unref();
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}

/** One sentence, with the longest stalls ordered by time. */
export function describeStalls(stalls: readonly Stall[]): string {
  if (stalls.length === 0) return `${NAMED} never woke up ${STALL_MS_MIN} ms or more too late.`;
  const longest = stalls
    .toSorted((a, b) => b.lateMs - a.lateMs)
    .slice(0, LISTED_MAX)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, lateMs }) => `${whole(lateMs)} ms at ${new Date(atMs).toISOString().slice(11, 19)}`);
  const shown = stalls.length > LISTED_MAX ? `the longest ${LISTED_MAX}: ` : '';
  const times = stalls.length === 1 ? 'once' : `${whole(stalls.length)} times`;
  return `${NAMED} woke up ${STALL_MS_MIN} ms or more too late ${times} (${shown}${longest.join(', ')}).`;
}

/** Runs in the thread. */
function watch(): void {
  let expectedMs = performance.now() + WAKE_MS;
  setInterval(() => {
    const lateMs = performance.now() - expectedMs;
    if (lateMs >= STALL_MS_MIN) {
      parentPort?.postMessage({ atMs: Date.now() - lateMs, lateMs } satisfies Stall);
    }
    expectedMs = performance.now() + WAKE_MS;
  }, WAKE_MS);
}

if (workerData === THREAD) watch();
