import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether the person can see the page: not while it is behind another one or minimised. */
export function pageShown(): ReadonlySignal<boolean> {
  const isShown = signal(!document.hidden);
  document.addEventListener('visibilitychange', () => {
    isShown.value = !document.hidden;
  });
  return isShown;
}
