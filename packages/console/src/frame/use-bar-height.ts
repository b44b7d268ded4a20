import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Tells the styles how high the alarm bar is now, so that forms and sticky heads begin below it. */
export function useBarHeight(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      document.documentElement.style.setProperty('--alarm-bar-height', `${current.offsetHeight}px`);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
}
