import { type ReadonlySignal, signal } from '@preact/signals';

/** Records by their id, of which only those are kept that the view of the whole site needs: open alerts, jobs under way. */
export class Records<Item> {
  readonly #all = signal<ReadonlyMap<string, Item>>(new Map());
  readonly #idOf: (item: Item) => string;
  readonly #isKept: (item: Item) => boolean;

  constructor(idOf: (item: Item) => string, isKept: (item: Item) => boolean) {
    this.#idOf = idOf;
    this.#isKept = isKept;
  }

  get all(): ReadonlySignal<ReadonlyMap<string, Item>> {
    return this.#all;
  }

  replaceAll(items: readonly Item[]): void {
    this.#all.value = new Map(items.filter(this.#isKept).map((item) => [this.#idOf(item), item]));
  }

  /** Adds or replaces a record, or removes it when it has ended. */
  put(item: Item): void {
    const next = new Map(this.#all.peek());
    if (this.#isKept(item)) next.set(this.#idOf(item), item);
    else if (!next.delete(this.#idOf(item))) return;
    this.#all.value = next;
  }
}
