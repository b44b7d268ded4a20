import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Long enough to see that something else is there now. */
const SETTLE_MS = 800;

/** Whether what is shown has been there for a moment, so that a press cannot hit what has just taken its place. */
export function useSettled(shown: string | null): boolean {
  const settled = useSignal<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = shown;
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  return settled.value === shown;
}
