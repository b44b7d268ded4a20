import { ApiError } from '@granary/client';

export type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly cure?: string;
}

export const finding = (check: string, verdict: Verdict, message: string, cure?: string): Finding => ({
  check,
  verdict,
  message,
  ...(cure === undefined || verdict === 'ok' ? {} : { cure }),
});

/** No findings where the service refuses what is asked, because the key may not read it or nothing is set up. */
export async function unlessRefused(examine: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await examine();
  } catch (failure) {
    if (failure instanceof ApiError) return [];
    throw failure;
  }
}
