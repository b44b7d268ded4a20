import { callOptions, useConsole } from '../console.ts';

export interface EmergencyStopRequest {
  /** Sends the emergency stop; it may be sent any number of times. */
  readonly stop: () => Promise<void>;
  /** The service repeats it until the device has confirmed. */
  readonly isRequested: boolean;
  readonly isConfirmed: boolean;
}

/** The emergency stop of a vehicle, for every button that gives it. */
export function useEmergencyStop(deviceId: string): EmergencyStopRequest {
  const console = useConsole();
  const { client, live } = console;
  const isRequested = [...live.site.commands.all.value.values()].some(
    ({ device_id, command }) => device_id === deviceId && command === 'emergency_stop',
  );
  const stop = async (): Promise<void> => {
    const record = await client.commands.give(deviceId, { command: 'emergency_stop' }, callOptions(console));
    live.site.commands.put({ device_id: deviceId, ...record });
  };
  return { stop, isRequested, isConfirmed: !isRequested };
}
