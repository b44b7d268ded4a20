import type {
  EnvironmentalReading,
  FieldHistory,
  FieldHistoryQuery,
  LocationReading,
  Track,
  TrackQuery,
} from '@granary/contract/telemetry/field-readings';
import { devicePath, type GroupRoots } from './devices.ts';
import type { Query, Transport } from './transport.ts';

export interface FieldReadingsClient {
  location(deviceId: string): Promise<LocationReading>;
  environment(deviceId: string): Promise<EnvironmentalReading>;
  history(deviceId: string, query?: FieldHistoryQuery): Promise<FieldHistory>;
  /** Where it has been. */
  track(deviceId: string, query?: TrackQuery): Promise<Track>;
}

export function fieldReadingsClient(transport: Transport, roots: GroupRoots): FieldReadingsClient {
  const ask = <T>(deviceId: string, what: string, query: Query = {}) =>
    transport.data<T>({ method: 'GET', path: `${devicePath(roots.field, deviceId)}/${what}`, query });

  return {
    location: (deviceId) => ask(deviceId, 'location'),
    environment: (deviceId) => ask(deviceId, 'sensors/environmental'),
    history: (deviceId, query = {}) => ask(deviceId, 'sensors/history', { ...query }),
    track: (deviceId, query = {}) => ask(deviceId, 'track', { ...query }),
  };
}
