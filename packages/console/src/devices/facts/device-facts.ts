import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { FleetDevice } from '@granary/contract/fleet';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { useConsole } from '../../context/console.ts';
import { type Loaded, useLoadedOfDevice } from '../../kit/use-loaded.ts';

/** Alerts are included, because an alert may be about the reception of messages, which the detail also shows. */
const CHANGES_FACTS = /^(device\.|configuration\.|command\.|alert\.)/;

/** The facts that are read about a device beside those of the site. */
export interface DeviceFacts {
  readonly detail: SiloDetail | FieldDetail;
  /** The version of the detail. */
  readonly detailEtag: string | null;
  readonly configuration: DeviceConfiguration;
  /** The version of the configuration. */
  readonly etag: string | null;
}

/** Reads the facts when nothing more urgent is being read, and again when an event reports a change. */
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
