import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Drawn a little before it is seen. */
const MARGIN = '300px';

const watched = new WeakMap<Element, Signal<boolean>>();

/** One observer for all elements, because one for each of a thousand is slow. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const isNear = watched.get(target);
      if (isNear !== undefined) isNear.value = isIntersecting;
    }
  },
  { rootMargin: MARGIN },
);

/** Whether an element is in the window or close to it, so that what nobody sees is not drawn. */
export function useNear(element: RefObject<Element | null>): ReadonlySignal<boolean> {
  const isNear = useSignal(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    watched.set(current, isNear);
    observer.observe(current);
    return () => observer.unobserve(current);
  }, []);
  return isNear;
}
