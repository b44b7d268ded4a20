import { effect, type ReadonlySignal } from '@preact/signals';

/** Resolves when the signal has the value, or when it does not matter any more. */
export function until(
  condition: ReadonlySignal<boolean>,
  wanted: boolean,
  stopped: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let end: (() => void) | undefined;
    const finish = (): void => {
      resolve();
      queueMicrotask(() => end?.());
    };
    stopped.addEventListener('abort', finish, { once: true });
    end = effect(() => {
      if (condition.value === wanted || stopped.aborted) finish();
    });
  });
}
