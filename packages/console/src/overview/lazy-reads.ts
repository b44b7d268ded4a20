import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

const AT_ONCE_MAX = 4;

/** Reads wait here, so that a view with many devices does not ask for all of them at the same moment. */
export class ReadQueue {
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;

  add(read: () => Promise<void>): void {
    this.#waiting.push(read);
    this.#next();
  }

  #next(): void {
    if (this.#running >= AT_ONCE_MAX) return;
    // The newest first, because it is what the person has just scrolled to.
    const read = this.#waiting.pop();
    if (read === undefined) return;
    this.#running++;
    void read().finally(() => {
      this.#running--;
      this.#next();
    });
  }
}

interface Kept<Value> {
  readonly value: Signal<Value | undefined>;
  readMs: number;
}

/** Something of a device that is read when it is first shown, and kept for a time. */
export class LazyReads<Value> {
  readonly #queue: ReadQueue;
  readonly #read: (deviceId: string) => Promise<Value>;
  readonly #keepMs: number;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept<Value>>();

  constructor(
    queue: ReadQueue,
    read: (deviceId: string) => Promise<Value>,
    keepMs: number,
    now: () => number = Date.now,
  ) {
    this.#queue = queue;
    this.#read = read;
    this.#keepMs = keepMs;
    this.#now = now;
  }

  /** What is known of the device; `undefined` until it was read. Reads it where that is due. */
  of(deviceId: string): ReadonlySignal<Value | undefined> {
    const kept = this.#kept.get(deviceId) ?? { value: signal(undefined), readMs: Number.NEGATIVE_INFINITY };
    this.#kept.set(deviceId, kept);
    if (this.#now() - kept.readMs < this.#keepMs) return kept.value;
    kept.readMs = this.#now();
    this.#queue.add(async () => {
      try {
        kept.value.value = await this.#read(deviceId);
      } catch {
        // What is shown stays; the device is asked again when it is due.
      }
    });
    return kept.value;
  }

  /** It has changed, so the next time that it is shown it is read; where it is shown now, at once. */
  forget(deviceId: string): void {
    const kept = this.#kept.get(deviceId);
    if (kept === undefined) return;
    kept.readMs = Number.NEGATIVE_INFINITY;
    if (kept.value.peek() !== undefined) this.of(deviceId);
  }
}
