import { ApiError } from '@granary/client';
import { batch, type ReadonlySignal } from '@preact/signals';
import { type Connection, until } from './connection.ts';
import type { Site } from './site.ts';
import type { LiveStreams } from './streams/shared-streams.ts';

interface Options {
  readonly signal: AbortSignal;
  readonly reconnectMs: number;
  readonly isShown: ReadonlySignal<boolean>;
}

/** Keeps the newest values current while the page is seen; values that nobody sees are not sent. */
export async function followReadings(
  { readings }: Pick<LiveStreams, 'readings'>,
  site: Site,
  connection: Connection,
  { signal, reconnectMs, isShown }: Options,
): Promise<void> {
  while (!signal.aborted) {
    await until(isShown, true, signal);
    const hidden = new AbortController();
    void until(isShown, false, signal).then(() => hidden.abort());
    await followShown(readings, site, connection, { signal: hidden.signal, reconnectMs });
  }
}

async function followShown(
  readings: LiveStreams['readings'],
  site: Site,
  connection: Connection,
  { signal, reconnectMs }: Pick<Options, 'signal' | 'reconnectMs'>,
): Promise<void> {
  const onConnection = ({ isConnected }: { readonly isConnected: boolean }): void => {
    if (signal.aborted) return;
    if (isConnected) connection.found('readings');
    else connection.lost('readings', site.clock.nowMs.peek());
  };
  try {
    for await (const { at, devices } of readings.stream({ signal, onConnection, reconnectMs })) {
      // One drawing for all devices of a message.
      batch(() => {
        site.clock.observe(at);
        for (const device of devices) site.devices.update(device);
      });
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    connection.lost('readings', site.clock.nowMs.peek());
    await new Promise((resolve) => setTimeout(resolve, reconnectMs));
  }
}
