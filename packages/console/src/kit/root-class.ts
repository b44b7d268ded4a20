import { useLayoutEffect } from 'preact/hooks';

/** Tells the styles of the whole page what a part of it shows, such as what is docked at the foot of the window. */
export function useRootClass(name: string, isSet = true): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle(name, isSet);
    return () => classList.remove(name);
  }, [name, isSet]);
}
