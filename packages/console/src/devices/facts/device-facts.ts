import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { FleetDevice } from '@granary/contract/fleet';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { useConsole } from '../../context/console.ts';
import { type Loaded, useLoadedOfDevice } from '../../kit/use-loaded.ts';

/** An alert may be about how its messages arrive, which its detail says, too. */
const CHANGES_FACTS = /^(device\.|configuration\.|command\.|alert\.)/;

/** What is read of a device beside what the site holds. */
export interface DeviceFacts {
  readonly detail: SiloDetail | FieldDetail;
  /** The version of the detail. */
  readonly detailEtag: string | null;
  readonly configuration: DeviceConfiguration;
  /** The version of the configuration. */
  readonly etag: string | null;
}

/** Read as soon as nothing more urgent is, and again when an event tells that it has changed. */
export function useDeviceFacts(
  { device_id, group }: Pick<FleetDevice, 'device_id' | 'group'>,
  mayLoad: boolean,
): Loaded<DeviceFacts> {
  const { client } = useConsole();
  const load = async (signal: AbortSignal): Promise<DeviceFacts> => {
    const [{ device: detail, etag: detailEtag }, { configuration, etag }] = await Promise.all([
      client.devices[group].getVersioned(device_id, { signal }),
      client.configuration[group].get(device_id, { signal }),
    ]);
    return { detail, detailEtag, configuration, etag };
  };
  return useLoadedOfDevice(device_id, CHANGES_FACTS, mayLoad ? load : null);
}
