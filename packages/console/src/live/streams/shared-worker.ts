import type { HubPort } from './shared-streams.ts';

/** A worker whose script cannot be loaded may say nothing at all. */
const ANSWER_WITHIN_MS = 5_000;

const openWorker = (): SharedWorker =>
  new SharedWorker(new URL('./streams-worker.ts', import.meta.url), { type: 'module' });

/**
 * The way to the worker that all windows of the browser share, or `null` where the browser has none; then each page follows
 * the streams itself. A leader among the windows would need Web Locks, which pages without TLS do not have.
 */
export async function findSharedWorker(): Promise<(() => HubPort) | null> {
  if (typeof SharedWorker === 'undefined') return null;
  try {
    return (await answers(openWorker())) ? () => openWorker().port as HubPort : null;
  } catch {
    return null;
  }
}

function answers(worker: SharedWorker): Promise<boolean> {
  const { port } = worker;
  return new Promise((resolve) => {
    const decide = (isThere: boolean): void => {
      resolve(isThere);
      port.postMessage({ kind: 'close' });
      port.close();
    };
    port.addEventListener('message', () => decide(true), { once: true });
    worker.addEventListener('error', () => decide(false), { once: true });
    setTimeout(() => decide(false), ANSWER_WITHIN_MS);
    port.start();
  });
}
