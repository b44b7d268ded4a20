import type { UseCaseCall } from '@granary/store/engine';
import type { SLICES, SliceName } from './slices.ts';
import type { Transaction } from './transaction.ts';

type Writes<Slice extends SliceName> = (typeof SLICES)[Slice]['writes'];
type ArgsOf<Write> = Write extends (tx: Transaction, ...args: infer Args) => unknown ? Args : never;

/** A write that the service itself asks for. A thread can make one without loading the use cases. */
export const writeCall = <Slice extends SliceName, Name extends keyof Writes<Slice> & string>(
  slice: Slice,
  name: Name,
  ...args: ArgsOf<Writes<Slice>[Name]>
): UseCaseCall => ({ slice, name, args, idempotency: null, attempt: null });

/** Counts writes and how long they took. */
export class WriteMeter {
  #writes = 0;
  #failedWrites = 0;
  #writeMs = 0;

  async measure<T>(write: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    this.#writes++;
    try {
      return await write;
    } catch (error) {
      this.#failedWrites++;
      throw error;
    } finally {
      this.#writeMs += performance.now() - startedMs;
    }
  }

  figures() {
    return { writes: this.#writes, failedWrites: this.#failedWrites, writeMs: this.#writeMs };
  }
}
