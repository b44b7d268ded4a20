import type { UseCaseCall } from '@granary/store/engine';
import type { Transaction } from './transaction.ts';
import type { SLICES, SliceName } from './use-cases.ts';

type Writes<Slice extends SliceName> = (typeof SLICES)[Slice]['writes'];
type ArgsOf<Write> = Write extends (tx: Transaction, ...args: infer Args) => unknown ? Args : never;

/** A write that the service itself asks for. A thread can make one without loading the use cases. */
export const writeCall = <Slice extends SliceName, Name extends keyof Writes<Slice> & string>(
  slice: Slice,
  name: Name,
  ...args: ArgsOf<Writes<Slice>[Name]>
): UseCaseCall => ({ slice, name, args, idempotency: null, attempt: null });
