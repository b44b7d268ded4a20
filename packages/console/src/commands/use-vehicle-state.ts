import type { CommandRecord } from '@granary/contract/commands';
import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { type Loaded, useLoaded } from '../parts/use-loaded.ts';

export interface VehicleState {
  readonly detail: FieldDetail;
  readonly newestCommand: CommandRecord | null;
}

/** An emergency stop is in force, confirmed or not: the vehicle takes no other command. */
export const isEmergencyStopped = (detail: SiloDetail | FieldDetail): boolean =>
  'emergency_stop' in detail && detail.emergency_stop?.active === true;

/** Whether an emergency stop is in force, and how the newest command stands; read again when a command changes. */
export function useVehicleState(deviceId: string): Loaded<VehicleState> {
  const { client, live } = useConsole();
  const { state } = live.connection.current.value;
  const loaded = useLoaded(
    async (signal) => {
      const [detail, commands] = await Promise.all([
        client.devices.field.get(deviceId, { signal }),
        client.commands.list(deviceId, { limit: 1 }, { signal }),
      ]);
      return { detail, newestCommand: commands.data[0] ?? null };
    },
    [deviceId, state],
  );
  useEffect(
    () =>
      live.onEvent((event) => {
        if (event.device_id === deviceId && event.type === 'command.status_changed') loaded.reload();
      }),
    [deviceId],
  );
  return loaded;
}
