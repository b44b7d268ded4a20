import {
  checkSiloCommand,
  type OperationAck,
  type OperationProgress,
  type SiloCommand,
} from '@granary/contract/link/messages';
import { type Api, siloNamed } from '../service.ts';
import { ScriptedDevice } from './scripted-device.ts';

const SILOS = '/v1/siloscale/devices';

export class ScriptedSilo extends ScriptedDevice<SiloCommand> {
  weigh = (weight: number): Promise<void> => this.publish('telemetry', { ts: this.ts(), weight });

  ack = (ack: OperationAck): Promise<void> => this.publish('ack', ack);

  progress = (progress: Omit<OperationProgress, 'ts'>): Promise<void> =>
    this.publish('progress', { ...progress, ts: this.ts() });
}

/** Registers the silo; it is not connected. */
export async function registerSilo(api: Api, deviceId: string): Promise<ScriptedSilo> {
  const { credentials } = (await api.post(SILOS, siloNamed(deviceId))).body.data;
  return new ScriptedSilo({ api, root: SILOS, credentials, checkCommand: checkSiloCommand });
}

/** Registers the silo, connects it, and reports that it is half full: 500 of 1,000 kg. */
export async function startSilo(
  api: Api,
  deviceId: string,
  weightKg: number | null = 500,
): Promise<ScriptedSilo> {
  const silo = await registerSilo(api, deviceId);
  await silo.reconnect();
  if (weightKg === null) await silo.publish('status', { state: 'online' });
  else await silo.weigh(weightKg);
  return silo;
}
