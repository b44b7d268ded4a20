/** The process must exit within ten seconds of a signal; the rest is for the exit itself. */
const STOP_TIMEOUT_MS = 9_500;
/** A service that has not started serves nobody yet, so an end does not wait for its start, which may wait for a broker. */
const START_TIMEOUT_MS = 1_500;
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
    const starting = start((stop) => stops.push(stop));
    void stopRequested.then(() => exitUnless(starting));
    await starting;
    await stopRequested;
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Exits if the start does not finish soon. Everything that was acknowledged is on disk, so this is like a crash. */
function exitUnless(starting: Promise<void>): void {
  const timer = setTimeout(() => process.exit(0), START_TIMEOUT_MS);
  const keepRunning = () => clearTimeout(timer);
  starting.then(keepRunning, keepRunning);
}

/** Resolves at the first signal; a second interrupt exits immediately. */
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
