import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * With this value the thread gets a third of the processor time of a usual thread when both want it. With much less its work
 * would not end on a busy machine.
 */
export const LOWER_PRIORITY = 5;

/**
 * Leaves the processor to the other threads, because this one works for long and a stop may need one of them. Only Linux has priorities
 * of threads; on other systems nothing changes.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, LOWER_PRIORITY);
  } catch {
    // A failure is ignored, because only the order of the threads depends on the priority.
  }
}
