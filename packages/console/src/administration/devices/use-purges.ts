import type { FleetDevice } from '@granary/contract/fleet/devices';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';

const EVERY_MS = 3_000;
/** Each is one request, so that a long list is not asked for as a whole. */
const DEVICES_ASKED_MAX = 20;

export interface Purges {
  /** How many rows were removed so far; `null` for a device whose records are kept. */
  removedRowsOf(deviceId: string): number | null;
  /** Asks at once, because a purge was just requested. */
  look(): void;
}

/** How far the removal of records has come, for the devices removed last. */
export function usePurges(
  devices: readonly Pick<FleetDevice, 'device_id' | 'group' | 'removed_at'>[],
): Purges {
  const { client } = useConsole();
  const progress = useSignal<ReadonlyMap<string, number>>(new Map());
  const newest = [...devices]
    .sort((one, other) => (other.removed_at ?? '').localeCompare(one.removed_at ?? ''))
    .slice(0, DEVICES_ASKED_MAX);

  async function look(): Promise<void> {
    const found = await Promise.all(
      newest.map(async ({ device_id, group }) => {
        // A device whose records are all removed is not found any more; the event of that reloads the list.
        const detail = await client.devices[group].get(device_id).catch(() => null);
        return [device_id, detail?.purge?.rows_removed ?? null] as const;
      }),
    );
    progress.value = new Map(found.filter((entry): entry is [string, number] => entry[1] !== null));
  }

  useEffect(() => {
    void look();
    const timer = setInterval(() => {
      if (progress.peek().size > 0) void look();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [newest.map(({ device_id }) => device_id).join()]);

  return {
    removedRowsOf: (deviceId) => progress.value.get(deviceId) ?? null,
    look: () => void look(),
  };
}
