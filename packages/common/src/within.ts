/** The result of work that did not finish in time. */
export const LATE = Symbol('late');

/** Resolves with the result, or with `LATE` after the time limit; the work itself continues. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T | typeof LATE> {
  if (limitMs === Number.POSITIVE_INFINITY) return await work;
  // A failure after the time limit has no caller and must not become an unhandled rejection.
  work.catch(() => undefined);
  const { promise, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(resolve, Math.max(0, limitMs), LATE);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
