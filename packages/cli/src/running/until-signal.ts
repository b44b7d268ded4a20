/** The process must exit within ten seconds of a signal; the rest is for the exit itself. */
const STOP_TIMEOUT_MS = 9_500;
const EXIT_INTERRUPTED = 130;

export type Stop = () => Promise<void>;

/**
 * Starts something and keeps it running until a signal arrives. `start` registers with `onStop` what must be stopped;
 * everything is stopped in reverse order, also when a later step of the start fails.
 */
export async function runUntilSignal(start: (onStop: (stop: Stop) => void) => Promise<void>): Promise<void> {
  const stops: Stop[] = [];
  const stopRequested = waitForSignal();
  try {
    await start((stop) => stops.push(stop));
    await stopRequested;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** A second interrupt exits immediately. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    const requestStop = () => {
      setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
      resolve();
    };
    process.once('SIGTERM', requestStop);
    process.once('SIGINT', () => {
      process.once('SIGINT', () => process.exit(EXIT_INTERRUPTED));
      requestStop();
    });
  });
}
