import type { OrderLine, PackedTruck } from './types.ts';

/** First fit decreasing: one product a compartment. Lines that do not fit are left, in the order of their `orderByMs`. */
export function packTruck(_lines: readonly OrderLine[], _compartmentsKg: readonly number[]): PackedTruck {
  throw new Error('follows');
}
