import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: unknown;
  /** What is shown may be that of earlier inputs. */
  readonly isLoading: boolean;
  /** Reads again; what is shown stays until the new value has arrived. */
  reload(): void;
}

/** Reads something when a view opens and when one of its inputs changes; an older answer never replaces a newer one. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<unknown>(null);
  const isLoading = useSignal(true);
  const round = useSignal(0);
  useEffect(() => {
    const stopped = new AbortController();
    isLoading.value = true;
    load(stopped.signal).then(
      (loaded) => {
        if (stopped.signal.aborted) return;
        value.value = loaded;
        failure.value = null;
        isLoading.value = false;
      },
      (error) => {
        if (stopped.signal.aborted) return;
        failure.value = error;
        isLoading.value = false;
      },
    );
    return () => stopped.abort();
  }, [...inputs, round.value]);
  return {
    value: value.value,
    failure: failure.value,
    isLoading: isLoading.value,
    reload: () => {
      round.value = round.peek() + 1;
    },
  };
}
