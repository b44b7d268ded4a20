import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const TILE_PX_MIN = 284;
const GAP_PX = 8;

/** How many tiles fit side by side. A zone must know, because it takes as many columns as it has tiles. */
export function useColumns(element: RefObject<HTMLElement | null>): ReadonlySignal<number> {
  const columns = useSignal(1);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      columns.value = Math.max(1, Math.floor((current.clientWidth + GAP_PX) / (TILE_PX_MIN + GAP_PX)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, []);
  return columns;
}
