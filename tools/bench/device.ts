import { type SiloCommand, topicOf } from '@granary/contract/link/messages';
import type { ServiceProcess } from '@granary/server/testing/service-process';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Credentials } from './farm.ts';

/** A silo that carries out commands immediately, and records when a command arrived. */
export class BenchDevice {
  readonly deviceId: string;
  readonly #client: MqttClient;
  #onCommand: (command: SiloCommand) => void = () => undefined;
  #lastTsMs = 0;

  static async connect(service: ServiceProcess, { username, secret }: Credentials): Promise<BenchDevice> {
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const device = new BenchDevice(username, await connectAsync(service.mqttUrl, login));
    await device.#client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    return device;
  }

  constructor(deviceId: string, client: MqttClient) {
    this.deviceId = deviceId;
    this.#client = client;
    client.on('message', (_topic, payload) => {
      const command = JSON.parse(payload.toString()) as SiloCommand;
      this.#onCommand(command);
      // Messages that are interrupted at the end of the measurement are ignored.
      this.#obey(command).catch(() => undefined);
    });
  }

  /** Resolves with the time when the next command of this kind arrives at the device. */
  next(kind: SiloCommand['command']): Promise<number> {
    return new Promise((resolve) => {
      this.#onCommand = ({ command }) => {
        if (command === kind) resolve(performance.now());
      };
    });
  }

  /** Resolves when the reading is acknowledged. */
  async weigh(weight: number): Promise<void> {
    await this.#publish('telemetry', { ts: this.#ts(), weight });
  }

  leave(): Promise<void> {
    return this.#client.endAsync(true);
  }

  async #obey({ command, operation_id }: SiloCommand): Promise<void> {
    if (command === 'start') await this.#publish('ack', { operation_id, accepted: true });
    else await this.#publish('progress', { operation_id, state: 'stopped', amount_kg: 0, ts: this.#ts() });
  }

  async #publish(subject: 'telemetry' | 'ack' | 'progress', payload: object): Promise<void> {
    await this.#client.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 1 });
  }

  #ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }
}
