import type { DeviceGroup } from '@granary/contract/devices/groups';
import { DEFAULT_ADDRESSES, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { DeviceTelemetry, TelemetryReceipt } from '@granary/contract/telemetry/telemetry';
import { configurationClient } from './configuration.ts';
import { derive } from './derive.ts';
import { eventsClient } from './events.ts';
import { exportsClient } from './exports.ts';
import { plantsClient } from './plants.ts';
import { createTransport, type Fetch } from './transport.ts';

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The paths of the two device groups and the plant store, if they are not the default ones. */
  readonly siloSegment?: string;
  readonly fieldSegment?: string;
  readonly sandboxPath?: string;
  readonly fetch?: Fetch;
  /** Waits for the time given by the service when it limits this key, instead of failing; off by default. */
  readonly waitsWhenLimited?: boolean;
}

export type Client = ReturnType<typeof createClient>;

/** Every endpoint as a method, under the name that the contract gives it. */
export function createClient({
  baseUrl,
  apiKey,
  siloSegment = DEFAULT_ADDRESSES.siloSegment,
  fieldSegment = DEFAULT_ADDRESSES.fieldSegment,
  sandboxPath = DEFAULT_ADDRESSES.sandboxPath,
  fetch = globalThis.fetch,
  waitsWhenLimited = false,
}: ClientOptions) {
  const transport = createTransport({ baseUrl, apiKey, fetch, waitsWhenLimited });
  const roots = groupRoots({ siloSegment, fieldSegment, sandboxPath });
  const { devices, telemetry, operations, alerts, commands, missions, fleet, keys, audit } = endpoints;
  const siloReadings = derive(telemetry.silo, transport, roots);
  const fieldReadings = derive(telemetry.field, transport, roots);
  const send = { silo: siloReadings.send, field: fieldReadings.send };
  return {
    devices: {
      silo: derive(devices.silo, transport, roots),
      field: derive(devices.field, transport, roots),
    },
    telemetry: {
      current: siloReadings.current,
      history: siloReadings.history,
      /** For devices that do not use MQTT; resolves when the readings are on disk. */
      send: (group: DeviceGroup, deviceId: string, readings: DeviceTelemetry): Promise<TelemetryReceipt> =>
        send[group](deviceId, readings),
    },
    fieldReadings,
    operations: derive(operations, transport, roots),
    commands: derive(commands, transport, roots),
    missions: derive(missions, transport, roots),
    alerts: { silo: derive(alerts.silo, transport, roots), field: derive(alerts.field, transport, roots) },
    configuration: configurationClient(transport, roots),
    /** Views of all devices that the key may see. */
    fleet: derive(fleet, transport, roots),
    exports: exportsClient(transport, roots),
    keys: derive(keys, transport, roots),
    audit: derive(audit, transport, roots),
    events: eventsClient(transport, roots),
    plants: plantsClient(transport, roots),
  };
}
