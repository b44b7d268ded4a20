import type { DeviceKind } from '@granary/contract/telemetry/channels';
import type {
  CurrentReadings,
  DeviceTelemetry,
  HistoryQuery,
  SensorHistory,
  TelemetryReceipt,
} from '@granary/contract/telemetry/telemetry';
import { devicePath, type GroupRoots } from './devices.ts';
import type { Transport } from './transport.ts';

export interface TelemetryClient {
  current(siloId: string): Promise<CurrentReadings>;
  history(siloId: string, query?: HistoryQuery): Promise<SensorHistory>;
  /** The HTTP way in, for devices that do not speak MQTT. Answers when the readings are on disk. */
  send(kind: DeviceKind, deviceId: string, telemetry: DeviceTelemetry): Promise<TelemetryReceipt>;
}

export function telemetryClient(transport: Transport, roots: GroupRoots): TelemetryClient {
  return {
    current: (siloId) => transport.data({ method: 'GET', path: `${devicePath(roots.silo, siloId)}/sensors` }),
    history: (siloId, query = {}) =>
      transport.data({
        method: 'GET',
        path: `${devicePath(roots.silo, siloId)}/sensors/history`,
        query: { ...query },
      }),
    send: (kind, deviceId, telemetry) =>
      transport.data({
        method: 'POST',
        path: `${devicePath(roots[kind], deviceId)}/telemetry`,
        body: telemetry,
      }),
  };
}
