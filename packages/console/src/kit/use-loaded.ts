import type { Page } from '@granary/client';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole, useIsLost } from '../context/console.ts';

/** Events often come in groups, and one read serves them all. */
const GATHER_MS = 400;
const PAGE_ROWS = 100;

/** The largest number of rows that the service returns at once. */
const PAGE_ROWS_MAX = 1_000;

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly failure: unknown;
  /** True while the shown value may be that of earlier inputs. */
  readonly isLoading: boolean;
  /** Reads again; the shown value stays until the new one has arrived. */
  reload(): void;
}

/**
 * Reads something when a view opens and when one of its inputs changes; an older answer never replaces a newer one. While `load` is
 * `null` nothing is read, because something else has to come first.
 */
export function useLoaded<Value>(
  load: ((signal: AbortSignal) => Promise<Value>) | null,
  inputs: readonly unknown[],
): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<unknown>(null);
  const isLoading = useSignal(true);
  const round = useSignal(0);
  // The read begins before the view is drawn, so that the service answers meanwhile.
  useLayoutEffect(() => {
    if (load === null) return undefined;
    const stopped = new AbortController();
    isLoading.value = true;
    load(stopped.signal).then(
      (loaded) => {
        if (stopped.signal.aborted) return;
        value.value = loaded;
        failure.value = null;
        isLoading.value = false;
      },
      (error) => {
        if (stopped.signal.aborted) return;
        failure.value = error;
        isLoading.value = false;
      },
    );
    return () => stopped.abort();
  }, [...inputs, load === null, round.value]);
  return {
    value: value.value,
    failure: failure.value,
    isLoading: isLoading.value,
    reload: () => {
      round.value = round.peek() + 1;
    },
  };
}

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

export interface Pages<Item> {
  /** `undefined` until the first page has arrived. */
  readonly items: readonly Item[] | undefined;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly failure: unknown;
  /** Adds the next page. */
  more(): void;
  /** Reads the shown pages again. */
  reload(): void;
}

interface Read<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Reads a long list page by page. When one of the inputs changes it begins anew; an older answer never replaces a newer one. */
export function usePages<Item>(
  load: (request: PageRequest, signal: AbortSignal) => Promise<Page<Item>>,
  inputs: readonly unknown[],
): Pages<Item> {
  const read = useSignal<Read<Item> | undefined>(undefined);
  const failure = useSignal<unknown>(null);
  const isLoading = useSignal(true);
  const stopped = useSignal(new AbortController());

  function ask(request: PageRequest, before: readonly Item[]): void {
    stopped.peek().abort();
    const mine = new AbortController();
    stopped.value = mine;
    isLoading.value = true;
    load(request, mine.signal).then(
      ({ data, page }) => {
        if (mine.signal.aborted) return;
        read.value = { items: [...before, ...data], next: page.next_cursor };
        failure.value = null;
        isLoading.value = false;
      },
      (error) => {
        if (mine.signal.aborted) return;
        failure.value = error;
        isLoading.value = false;
      },
    );
  }

  useEffect(() => {
    read.value = undefined;
    ask({ limit: PAGE_ROWS }, []);
    return () => stopped.peek().abort();
  }, inputs);

  return {
    items: read.value?.items,
    hasMore: read.value !== undefined && read.value.next !== null,
    isLoading: isLoading.value,
    failure: failure.value,
    more: () => {
      const { items, next } = read.peek() ?? { items: [], next: null };
      if (next !== null && !isLoading.peek()) ask({ limit: PAGE_ROWS, cursor: next }, items);
    },
    reload: () => {
      const count = Math.max(PAGE_ROWS, read.peek()?.items.length ?? 0);
      ask({ limit: Math.min(PAGE_ROWS_MAX, count) }, []);
    },
  };
}

/** Reads something about a device; again after its events of these types, and after the connection was found again. */
export function useLoadedOfDevice<Value>(
  deviceId: string,
  changedBy: RegExp,
  load: ((signal: AbortSignal) => Promise<Value>) | null,
): Loaded<Value> {
  const { live } = useConsole();
  const loaded = useLoaded(load, [deviceId, useIsLost()]);
  useEffect(
    () =>
      live.onEvent(({ device_id, type }) => {
        if (device_id === deviceId && changedBy.test(type)) loaded.reload();
      }),
    [deviceId],
  );
  return loaded;
}

/** Reads a list again after events whose type begins with this, of one device or of all, and after the connection was found again. */
export function useEventReload(
  prefixes: readonly string[],
  reload: () => void,
  deviceId: string | null = null,
): void {
  const { live } = useConsole();
  const { state } = live.connection.current.value;
  const newest = useRef(reload);
  newest.current = reload;
  const wasLost = useRef(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = live.onEvent(({ type, device_id }) => {
      if (deviceId !== null && device_id !== deviceId) return;
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
  }, [live, prefixes.join(), deviceId]);
  useEffect(() => {
    if (state === 'live' && wasLost.current) newest.current();
    wasLost.current = state === 'lost';
  }, [state]);
}
