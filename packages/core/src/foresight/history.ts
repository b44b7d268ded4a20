import type { History, SiloConfiguration, UseDay } from './types.ts';

/** So many days are needed for the same forecast to the digit, however the history came to be. */
export const HISTORY_DAYS = 112;

/**
 * Enters closed days, new or computed anew; days before `today` only. Without a history (or after a change of the
 * configuration, which is noticed) the stored days of the last `HISTORY_DAYS` are given.
 */
export function updateHistory(
  _history: History | null,
  _days: readonly UseDay[],
  _configuration: SiloConfiguration,
  _today: number,
): History {
  throw new Error('follows');
}

/** Mean use of the last seven known days, or 0. */
export function recentKgPerDay(_history: History): number {
  throw new Error('follows');
}

/** Share of the use per local hour: 24 numbers with the sum 1. */
export function hourProfile(_history: History): number[] {
  throw new Error('follows');
}
