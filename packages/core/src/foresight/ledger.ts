import { HOUR_MS } from '@granary/contract/time';
import type { LedgerInput, LedgerResult } from './types.ts';

/** Readings needed before the first day that is computed anew. */
export const LEDGER_MARGIN_MS = 6 * HOUR_MS;

/** Refills, the balance of each local day, and the level, from weights and operations. */
export function readLedger(_input: LedgerInput): LedgerResult {
  throw new Error('follows');
}
