import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Sets a style property to the present height of an element, so that forms, sticky heads and docked buttons begin beside it. */
export function useHeight(element: RefObject<HTMLElement | null>, property: string, isSet = true): void {
  useLayoutEffect(() => {
    const { current } = element;
    // An element in a dialog is not docked at the window.
    if (!isSet || current === null || current.closest('dialog') !== null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty(property, `${current.offsetHeight}px`));
    observer.observe(current);
    return () => {
      observer.disconnect();
      style.removeProperty(property);
    };
  }, [property, isSet]);
}
