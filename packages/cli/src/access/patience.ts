import { ApiError, UnreachableError } from '@granary/client';

const LOWEST_SERVER_STATUS = 500;
const LIMITED = 429;

/** The service may answer later: it is not reachable, restarts, or is busy. */
export const isPassing = (failure: unknown): boolean =>
  failure instanceof UnreachableError ||
  (failure instanceof ApiError && (failure.status >= LOWEST_SERVER_STATUS || failure.status === LIMITED));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
