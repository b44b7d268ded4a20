/** A map in the order in which its entries were set last; a further entry replaces the first one when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    super();
    this.#sizeMax = sizeMax;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#sizeMax) {
      const [first] = this.keys();
      this.delete(first as Key);
    }
    return this;
  }
}
