import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';

/** Events often come in groups, and one read serves them all. */
const GATHER_MS = 400;

/** Reads a list again after events whose type begins like this, and after the connection was found again. */
export function useEventReload(prefixes: readonly string[], reload: () => void): void {
  const { live } = useConsole();
  const { state } = live.connection.current.value;
  const newest = useRef(reload);
  newest.current = reload;
  const wasLost = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = live.onEvent(({ type }) => {
      if (!prefixes.some((prefix) => type.startsWith(prefix))) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        newest.current();
      }, GATHER_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [live, prefixes.join()]);
  useEffect(() => {
    if (state === 'live' && wasLost.current) newest.current();
    wasLost.current = state === 'lost';
  }, [state]);
}
