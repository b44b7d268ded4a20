import { useLayoutEffect } from 'preact/hooks';

/** Tells the styles that a view has docked something at the foot of the window, so that what is docked by the page stands above it. */
export function useDocked(name: string, isDocked: boolean): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle(name, isDocked);
    return () => classList.remove(name);
  }, [name, isDocked]);
}
