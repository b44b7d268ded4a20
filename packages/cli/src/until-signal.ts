/** The promise is ten seconds; a little is kept for the process to leave. */
const STOP_TIMEOUT_MS = 9_500;
const EXIT_INTERRUPTED = 130;

export type Stop = () => Promise<void>;

/**
 * Starts something and keeps it running until the process is asked to end. `start` says through `onStop` what must be
 * undone, last things first; it is undone also when a later step of the start fails.
 */
export async function runUntilSignal(start: (onStop: (stop: Stop) => void) => Promise<void>): Promise<void> {
  const stops: Stop[] = [];
  const asked = stopAsked();
  try {
    await start((stop) => stops.push(stop));
    await asked;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** The second interrupt means now. */
function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    const ask = () => {
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
      resolve();
    };
    process.once('SIGTERM', ask);
    process.once('SIGINT', () => {
      process.once('SIGINT', () => process.exit(EXIT_INTERRUPTED));
      ask();
    });
  });
}
