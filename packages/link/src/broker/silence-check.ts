import { KEEP_ALIVE_CHECK_MS } from '../limits.ts';
import type { Connection } from '../session/connection.ts';

/**
 * Ends connections that never send their CONNECT and those that are silent for longer than their keep-alive allows. Time
 * in which this process was suspended does not count as silence.
 */
export function startSilenceCheck(open: Iterable<Connection>, connectTimeoutMs: number): NodeJS.Timeout {
  let checkedAtMs = performance.now();
  return setInterval(() => {
    const nowMs = performance.now();
    const wasSuspended = nowMs - checkedAtMs > 2 * KEEP_ALIVE_CHECK_MS;
    checkedAtMs = nowMs;
    for (const connection of open) {
      // The storage may have failed since the connection was paused, and nothing else would then continue it.
      connection.continueReading();
      if (wasSuspended) connection.resetSilence(nowMs);
      else if (connection.isSilent(nowMs))
        connection.end('timed_out', 'nothing was received within the keep-alive');
      else if (connection.waitedForConnectMs(nowMs) > connectTimeoutMs) {
        connection.end('closed', 'no CONNECT was received in time');
      }
    }
  }, KEEP_ALIVE_CHECK_MS);
}
