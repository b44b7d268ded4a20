/** A map whose entries are in the order in which they were last set. When it is full, a further entry removes the first one. */
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
