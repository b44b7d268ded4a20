/** Returns a time that never goes back, that nobody can set, and that is the same in all threads of a process. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
