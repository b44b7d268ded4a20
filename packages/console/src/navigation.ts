import { type ReadonlySignal, signal } from '@preact/signals';
import { addressOf, parseRoute, type Route } from './routes.ts';

/** The address of the page as a signal. */
export class Navigation {
  readonly #route = signal<Route>(parseRoute(location.hash));

  constructor() {
    addEventListener('hashchange', () => {
      this.#route.value = parseRoute(location.hash);
    });
  }

  get route(): ReadonlySignal<Route> {
    return this.#route;
  }

  open(address: string): void {
    location.hash = address;
  }

  /** Filters are in the address, so that a view can be shared; changing one adds no step to the way back. */
  filter(changes: Readonly<Record<string, string | undefined>>): void {
    const { view, id, query } = this.#route.peek();
    const address = addressOf(view, id, { ...Object.fromEntries(query), ...changes });
    history.replaceState(null, '', address);
    this.#route.value = parseRoute(address);
  }
}
