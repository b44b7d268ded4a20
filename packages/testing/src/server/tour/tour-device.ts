import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import type { TourClient } from './tour-client.ts';

const WAIT_MS_MAX = 20_000;
const POLL_MS = 100;
/** The devices that the tour registers. */
export const SILOS = '/v1/siloscale/devices';
export const FIELD = '/v1/fielddevice/devices';
export const SILO = `${SILOS}/tour-silo`;
export const ROVER = `${FIELD}/tour-rover`;
export const HOME = { latitude: 48.2, longitude: 16.3, altitude: 170 };

/** A device that answers as the tour says. */
export class TourDevice {
  readonly #client: MqttClient;
  readonly #deviceId: string;
  readonly #commands: Record<string, unknown>[] = [];

  constructor(client: MqttClient, deviceId: string) {
    this.#client = client;
    this.#deviceId = deviceId;
    client.on('message', (topic, payload) => {
      if (topic.endsWith('/command')) this.#commands.push(JSON.parse(payload.toString()));
    });
  }

  static async connect(mqttUrl: string, deviceId: string, password: string): Promise<TourDevice> {
    const client = await connectAsync(mqttUrl, {
      clientId: deviceId,
      username: deviceId,
      password,
      reconnectPeriod: 0,
    });
    const device = new TourDevice(client, deviceId);
    await client.subscribeAsync(`granary/v1/${deviceId}/command`, { qos: 1 });
    return device;
  }

  async publish(subject: string, message: object): Promise<void> {
    await this.#client.publishAsync(`granary/v1/${this.#deviceId}/${subject}`, JSON.stringify(message), {
      qos: 1,
    });
  }

  async command(kind: string): Promise<Record<string, unknown>> {
    return await until(async () => {
      const at = this.#commands.findIndex(({ command }) => command === kind);
      return at === -1 ? undefined : this.#commands.splice(at, 1)[0];
    }, `command ${kind}`);
  }

  async leave(): Promise<void> {
    await this.#client.endAsync();
  }
}

export async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  const endMs = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}`);
    await sleep(POLL_MS);
  }
}

export interface Tour {
  readonly client: TourClient;
  readonly silo: TourDevice;
  readonly rover: TourDevice;
}
