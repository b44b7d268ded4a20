import type { Signal } from '@preact/signals';

/** Changes a signal, for a handler that does nothing else. */
export const set = <Value>(signal: Signal<Value>, value: NoInfer<Value>): void => {
  signal.value = value;
};
