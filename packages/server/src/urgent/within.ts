/** Stands for the result of work that was not done in time. */
export const LATE = Symbol('late');

/** The result of the work, or `LATE` when the time is over; the work itself goes on. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T | typeof LATE> {
  // A failure after the time is over concerns nobody here.
  work.catch(() => undefined);
  const { promise, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(resolve, Math.max(0, limitMs), LATE);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
