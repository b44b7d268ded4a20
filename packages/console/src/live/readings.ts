import type { Client } from '@granary/client';
import type { Site } from './site.ts';

const EVERY_MS = 3_000;

/** Keeps the newest values current. */
export async function followReadings(client: Client, site: Site, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    try {
      for await (const device of client.fleet.devicesAll({ include: 'readings' }, { signal })) {
        site.devices.update(device);
      }
    } catch {
      // The connection state shows that the service does not answer.
    }
  }
}
