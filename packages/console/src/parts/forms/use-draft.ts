import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { Bound } from './inputs.tsx';

export interface Draft<Fields> {
  readonly current: ReadonlySignal<Fields>;
  /** One field, for an input. */
  field<Name extends keyof Fields>(name: Name): Bound<Fields[Name]>;
}

/** What a form holds while a person fills it in. */
export function useDraft<Fields extends object>(initial: Fields): Draft<Fields> {
  const current = useSignal(initial);
  return {
    current,
    field: (name) => ({
      value: current.value[name],
      onValue: (value) => {
        current.value = { ...current.peek(), [name]: value };
      },
    }),
  };
}
