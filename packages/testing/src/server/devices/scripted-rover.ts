import {
  type CommandProgress,
  checkFieldCommand,
  type FieldAck,
  type FieldCommand,
  type MissionProgress,
} from '@granary/contract/link/field-messages';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import type { Api } from '../service.ts';
import { ScriptedDevice } from './scripted-device.ts';

const FIELD_DEVICES = '/v1/fielddevice/devices';

export const roverNamed = (deviceId: string, facility = 'north') => ({
  device_id: deviceId,
  name: `Rover ${deviceId}`,
  model: 'FR-7',
  firmware_version: '1.2.3',
  location: { facility, zone: 'a' },
});

/** The position of a scripted rover unless the test gives another one. */
export const HOME = { latitude: 48.2, longitude: 16.3, altitude: 170 };

export class ScriptedRover extends ScriptedDevice<FieldCommand> {
  report = (values: Omit<DeviceReading, 'ts'>): Promise<void> =>
    this.publish('telemetry', { ts: this.ts(), ...values });

  ack = (ack: FieldAck): Promise<void> => this.publish('ack', ack);

  commandProgress = (progress: Omit<CommandProgress, 'ts'>): Promise<void> =>
    this.publish('progress', { ...progress, ts: this.ts() });

  missionProgress = (progress: Omit<MissionProgress, 'ts'>): Promise<void> =>
    this.publish('progress', { ...progress, ts: this.ts() });
}

/** Registers the rover, connects it, and reports that it is at home with a full battery. */
export async function startRover(
  api: Api,
  deviceId: string,
  values: Omit<DeviceReading, 'ts'> | null = { ...HOME, battery_level: 100 },
): Promise<ScriptedRover> {
  const { credentials } = (await api.post(FIELD_DEVICES, roverNamed(deviceId))).body.data;
  const rover = new ScriptedRover({ api, root: FIELD_DEVICES, credentials, checkCommand: checkFieldCommand });
  await rover.reconnect();
  if (values === null) await rover.publish('status', { state: 'online' });
  else await rover.report(values);
  return rover;
}
