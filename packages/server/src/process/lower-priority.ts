import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A third of the processor time of a usual thread where both want it; much less, and its work would not end on a busy machine. */
export const LOWER_PRIORITY = 5;

/**
 * Leaves the processor to the other threads, because this one works for long and a stop may need one of them. Only Linux has a
 * priority for a thread; elsewhere it stays as it is.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, LOWER_PRIORITY);
  } catch {
    // Nothing but the order of the threads depends on it.
  }
}
