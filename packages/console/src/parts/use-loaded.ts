import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: unknown;
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
  const round = useSignal(0);
  useEffect(() => {
    const stopped = new AbortController();
    load(stopped.signal).then(
      (loaded) => {
        if (stopped.signal.aborted) return;
        value.value = loaded;
        failure.value = null;
      },
      (error) => {
        if (!stopped.signal.aborted) failure.value = error;
      },
    );
    return () => stopped.abort();
  }, [...inputs, round.value]);
  return {
    value: value.value,
    failure: failure.value,
    reload: () => {
      round.value = round.peek() + 1;
    },
  };
}
