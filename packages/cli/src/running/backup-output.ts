import { toIso } from '@granary/contract/time';
import type { Environment } from '../frame/environment.ts';

interface Figures {
  readonly schemaVersion: number;
  readonly devices: number;
  readonly keys: number;
  readonly newestReadingMs: number | null;
}

export function describeContents({ schemaVersion, devices, keys, newestReadingMs }: Figures): string {
  const newest =
    newestReadingMs === null ? 'no readings' : `the newest reading is of ${toIso(newestReadingMs)}`;
  return `${devices} devices, ${keys} keys, ${newest}; schema ${schemaVersion}`;
}

/** Shows the copied share in whole percent on a terminal. */
export function progressOf({ showProgress }: Environment): (share: number) => void {
  let shown = -1;
  return (share) => {
    const percent = Math.floor(share * 100);
    if (percent === shown) return;
    shown = percent;
    showProgress?.(`${percent} % copied`);
  };
}

/** Ctrl+C and a stop of the system end the work with everything removed that is not complete. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, abort);
  }
}
