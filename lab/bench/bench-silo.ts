import { setTimeout as sleep } from 'node:timers/promises';
import { type SiloCommand, topicOf } from '@granary/contract/link/messages';
import { connectAsync, type MqttClient } from 'mqtt';
import { ask, type Credentials, SILOS } from './farm.ts';
import type { ServiceProcess } from './service-process.ts';

/** A silo that carries out commands immediately, and records when a command arrived. */
export class BenchSilo {
  readonly deviceId: string;
  readonly #client: MqttClient;
  readonly #completesAtOnce: boolean;
  #onCompleted: () => void = () => undefined;
  #onCommand: (command: SiloCommand) => void = () => undefined;
  #lastTsMs = 0;

  /** If `completesAtOnce` is set, an operation is complete as soon as it is started; otherwise it runs until it is stopped. */
  static async connect(
    service: ServiceProcess,
    { username, secret }: Credentials,
    { completesAtOnce = false } = {},
  ): Promise<BenchSilo> {
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const client = await connectAsync(service.mqttUrl, login);
    const device = new BenchSilo(username, client, completesAtOnce);
    await device.#client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    return device;
  }

  constructor(deviceId: string, client: MqttClient, completesAtOnce: boolean) {
    this.deviceId = deviceId;
    this.#completesAtOnce = completesAtOnce;
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

  /** Resolves when the service has acknowledged that the next operation is complete. */
  completed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCompleted = resolve;
    });
  }

  /** Resolves when the reading is acknowledged. */
  async weigh(weight: number): Promise<void> {
    await this.#publish('telemetry', { ts: this.#ts(), weight });
  }

  leave(): Promise<void> {
    return this.#client.endAsync(true);
  }

  async #obey(command: SiloCommand): Promise<void> {
    const { operation_id } = command;
    const end = (state: 'completed' | 'stopped', amount_kg: number): Promise<void> =>
      this.#publish('progress', { operation_id, state, amount_kg, ts: this.#ts() });
    if (command.command !== 'start') return await end('stopped', 0);
    await this.#publish('ack', { operation_id, accepted: true });
    if (!this.#completesAtOnce) return;
    await end('completed', command.amount_kg);
    this.#onCompleted();
  }

  async #publish(subject: 'telemetry' | 'ack' | 'progress', payload: object): Promise<void> {
    await this.#client.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 1 });
  }

  #ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }
}

/** Starts and stops operations one after the other, and returns the times from the requests of the stops to their arrival at the device. */
export async function timeStops(
  service: ServiceProcess,
  device: BenchSilo,
  count: number,
): Promise<number[]> {
  const operations = `${SILOS}/${device.deviceId}/operations`;
  const latenciesMs: number[] = [];
  for (let stop = 0; stop < count; stop++) {
    await device.weigh(10_000);
    const started = device.next('start');
    const body = { amount: 100, rate: 10, target_container: 'bench' };
    const answer = await ask(service, `${operations}/discharge`, body);
    const { data } = (await answer.json()) as { data: { operation_id: string } };
    await started;
    const reached = device.next('stop');
    const askedMs = performance.now();
    await ask(service, `${operations}/${data.operation_id}/stop`, null);
    latenciesMs.push((await reached) - askedMs);
    await ended(service, `${operations}/${data.operation_id}`);
  }
  return latenciesMs;
}

async function ended(service: ServiceProcess, operation: string): Promise<void> {
  for (;;) {
    const { data } = (await (await ask(service, operation)).json()) as { data: { status: string } };
    if (data.status === 'stopped') return;
    await sleep(5);
  }
}
