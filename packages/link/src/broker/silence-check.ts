import { KEEP_ALIVE_CHECK_MS } from '../limits.ts';
import type { Connection } from '../session/connection.ts';

/**
 * Ends connections that never send their CONNECT and those that are silent for longer than their keep-alive allows. Time
 * in which this process stood still is nobody's silence.
 */
export function startSilenceCheck(open: Iterable<Connection>, connectTimeoutMs: number): NodeJS.Timeout {
  let checkedAtMs = performance.now();
  return setInterval(() => {
    const nowMs = performance.now();
    const stoodStill = nowMs - checkedAtMs > 2 * KEEP_ALIVE_CHECK_MS;
    checkedAtMs = nowMs;
    for (const connection of open) {
      if (stoodStill) connection.forgiveSilence(nowMs);
      else if (connection.isSilent(nowMs)) connection.end('timed_out', 'nothing came within the keep-alive');
      else if (connection.awaitedConnectMs(nowMs) > connectTimeoutMs) {
        connection.end('closed', 'no CONNECT came in time');
      }
    }
  }, KEEP_ALIVE_CHECK_MS);
}
