import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Bound } from './inputs.tsx';

export interface Action {
  readonly isRunning: boolean;
  /** Why the last run failed; `null` otherwise. */
  readonly failure: unknown;
  /** Runs the work unless it runs already, and tells whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  forget(): void;
}

/** A change that a person asks for. It runs once at a time, and a refusal is shown where the person pressed. */
export function useAction(): Action {
  const isRunning = useSignal(false);
  const failure = useSignal<unknown>(null);
  return {
    isRunning: isRunning.value,
    failure: failure.value,
    forget: () => {
      failure.value = null;
    },
    run: async (work) => {
      if (isRunning.peek()) return false;
      isRunning.value = true;
      failure.value = null;
      try {
        await work();
        return true;
      } catch (error) {
        failure.value = error;
        return false;
      } finally {
        isRunning.value = false;
      }
    },
  };
}

export interface Choices {
  /** Why the last choice was not stored; `null` otherwise. */
  readonly failure: unknown;
  run(store: () => Promise<unknown>): void;
}

/** Controls that store each choice at once. Of several quick choices none is left out, and each begins when the one before is stored. */
export function useChoices(): Choices {
  const failure = useSignal<unknown>(null);
  const last = useRef<Promise<void>>(Promise.resolve());
  return {
    failure: failure.value,
    run: (store) => {
      last.current = last.current.then(store).then(
        () => {
          failure.value = null;
        },
        (error: unknown) => {
          failure.value = error;
        },
      );
    },
  };
}

export interface Draft<Fields> {
  readonly current: ReadonlySignal<Fields>;
  /** The value of one field, for an input. */
  field<Name extends keyof Fields>(name: Name): Bound<Fields[Name]>;
}

/** The contents of a form while a person fills it in. */
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
