import { type ReadonlySignal, signal } from '@preact/signals';

/** The views of the console; those of the navigation are first, in its order. */
export const VIEW_NAMES = [
  'overview',
  'alerts',
  'orders',
  'map',
  'operations',
  'administration',
  'shift',
  'reports',
  'devices',
  'me',
  'start',
  'wall',
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** The part of the address after `#`: a view, its subject, and its filters. */
export interface Route {
  readonly view: ViewName;
  /** The device of the device page, or the part of the administration. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

const isView = (name: string): name is ViewName => (VIEW_NAMES as readonly string[]).includes(name);

/** Reads the address; one that no view has leads to the overview. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id] = path.split('/');
  return {
    view: isView(view) ? view : 'overview',
    id: id === undefined || id === '' ? null : decoded(id),
    query: new URLSearchParams(query),
  };
}

export function addressOf(
  view: Route['view'],
  id: string | null = null,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  const path = id === null ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
  return text === '' ? path : `${path}?${text}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A new step of the history has no state, so the step is marked once it was seen. */
const markSeen = (): void => history.replaceState({ isSeen: true }, '');

/** The address of the page as a signal. */
export class Navigation {
  readonly #route = signal<Route>(parseRoute(location.hash));

  constructor() {
    markSeen();
    addEventListener('hashchange', () => {
      const { view, id } = this.#route.peek();
      this.#route.value = parseRoute(location.hash);
      const isOther = view !== this.#route.peek().view || id !== this.#route.peek().id;
      // After a step back the browser itself shows the part that was seen.
      if (isOther && history.state === null) scrollTo(0, 0);
      markSeen();
    });
  }

  get route(): ReadonlySignal<Route> {
    return this.#route;
  }

  open(address: string): void {
    location.hash = address;
  }

  /** Changes filters in the address, so that a view can be shared; this adds no step to the history. */
  filter(changes: Readonly<Record<string, string | undefined>>): void {
    const { view, id, query } = this.#route.peek();
    const address = addressOf(view, id, { ...Object.fromEntries(query), ...changes });
    history.replaceState(history.state, '', address);
    this.#route.value = parseRoute(address);
  }
}
