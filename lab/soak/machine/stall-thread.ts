import { parentPort } from 'node:worker_threads';
import { STALL_MS_MIN, type Stall } from './stalls.ts';

const WAKE_MS = 20;

let expectedMs = performance.now() + WAKE_MS;
setInterval(() => {
  const lateMs = performance.now() - expectedMs;
  if (lateMs >= STALL_MS_MIN) {
    parentPort?.postMessage({ atMs: Date.now() - lateMs, lateMs } satisfies Stall);
  }
  expectedMs = performance.now() + WAKE_MS;
}, WAKE_MS);
