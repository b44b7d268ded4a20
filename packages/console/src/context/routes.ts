import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

/** The views that other views lead to by name; `shell/views.ts` has all of them. */
export type LinkedView =
  | 'overview'
  | 'alerts'
  | 'orders'
  | 'map'
  | 'operations'
  | 'administration'
  | 'shift'
  | 'devices'
  | 'me'
  | 'start';

type Filters = Readonly<Record<string, string | undefined>>;
type IsView = (name: string) => boolean;

/** The part of the address after `#`: a view, its subject, and its filters. */
export interface Route {
  readonly view: string;
  /** The device of the device page, or the part of the administration. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

/** Reads the address; one that no view has leads to the overview. */
export function parseRoute(hash: string, isView: IsView): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id] = path.split('/');
  return {
    view: isView(view) ? view : 'overview',
    id: id === undefined || id === '' ? null : decoded(id),
    query: new URLSearchParams(query),
  };
}

export function addressOfView(view: string, id: string | null = null, query: Filters = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  const path = id === null ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
  return text === '' ? path : `${path}?${text}`;
}

export const addressOf: (view: LinkedView, id?: string | null, query?: Filters) => string = addressOfView;

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
  readonly #isView: IsView;
  readonly #route: Signal<Route>;

  constructor(isView: IsView) {
    this.#isView = isView;
    this.#route = signal(parseRoute(location.hash, isView));
    markSeen();
    addEventListener('hashchange', () => {
      const { view, id } = this.#route.peek();
      this.#route.value = parseRoute(location.hash, isView);
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
  filter(changes: Filters): void {
    const { view, id, query } = this.#route.peek();
    const address = addressOfView(view, id, { ...Object.fromEntries(query), ...changes });
    history.replaceState(history.state, '', address);
    this.#route.value = parseRoute(address, this.#isView);
  }
}
