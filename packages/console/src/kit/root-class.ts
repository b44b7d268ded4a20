import { useLayoutEffect } from 'preact/hooks';

/** Sets a class for the styles of the whole page while a part shows something, such as a bar at the foot of the window. */
export function useRootClass(name: string, isSet = true): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    classList.toggle(name, isSet);
    return () => classList.remove(name);
  }, [name, isSet]);
}
