import type { FieldCommand } from '@granary/contract/link/field-messages';
import { type SiloCommand, topicOf } from '@granary/contract/link/messages';
import { connectAsync, type MqttClient } from 'mqtt';
import { ask, type Credentials, SILOS } from './farm.ts';
import type { ServiceProcess } from './service-process.ts';

const FIELD_DEVICES = '/v1/fielddevice/devices';
/** A stop that has not reached the device after this time counts as if it did then. */
const REACHED_MS_MAX = 20_000;

/** A device that notes when a stop arrives. It confirms nothing, so that its stop stays the only work about it. */
abstract class StoppableDevice<Command> {
  readonly deviceId: string;
  readonly #credentials: Credentials;
  #client: MqttClient | null = null;
  #arrived: (atMs: number) => void = () => undefined;

  constructor(credentials: Credentials) {
    this.deviceId = credentials.username;
    this.#credentials = credentials;
  }

  async connect(service: ServiceProcess): Promise<void> {
    const { username, secret } = this.#credentials;
    const login = { clientId: username, username, password: secret, reconnectPeriod: 0 };
    const client = await connectAsync(service.mqttUrl, login);
    this.#client = client;
    client.on('message', (_topic, payload) => {
      const command = JSON.parse(payload.toString()) as Command;
      if (this.isStop(command)) this.#arrived(performance.now());
      else void this.obey(command).catch(() => undefined);
    });
    await client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    await this.publish('telemetry', this.reading());
  }

  /** The time from the request of the stop to its arrival, whatever the answer is. */
  async timeStop(service: ServiceProcess): Promise<number> {
    const askedMs = performance.now();
    const reached = new Promise<number>((resolve) => {
      this.#arrived = resolve;
      setTimeout(resolve, REACHED_MS_MAX, askedMs + REACHED_MS_MAX).unref();
    });
    const answered = this.stop(service).catch(() => undefined);
    const [reachedMs] = await Promise.all([reached, answered]);
    return reachedMs - askedMs;
  }

  async leave(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  protected async publish(subject: 'telemetry' | 'ack' | 'progress', payload: object): Promise<void> {
    await this.#client?.publishAsync(topicOf(this.deviceId, subject), JSON.stringify(payload), { qos: 1 });
  }

  protected abstract isStop(command: Command): boolean;
  protected abstract obey(command: Command): Promise<void>;
  protected abstract stop(service: ServiceProcess): Promise<unknown>;
  protected abstract reading(): object;
}

export class StoppableSilo extends StoppableDevice<SiloCommand> {
  #operationId = '';

  async start(service: ServiceProcess): Promise<void> {
    const body = { amount: 1_000, rate: 10, target_container: 'bench' };
    const answer = await ask(service, `${SILOS}/${this.deviceId}/operations/discharge`, body);
    const { data } = (await answer.json()) as { data: { operation_id: string } };
    this.#operationId = data.operation_id;
  }

  protected isStop({ command }: SiloCommand): boolean {
    return command === 'stop';
  }

  protected async obey({ command, operation_id }: SiloCommand): Promise<void> {
    if (command === 'start') await this.publish('ack', { operation_id, accepted: true });
    await this.publish('progress', { operation_id, state: 'running', amount_kg: 1, ts: Date.now() });
  }

  protected stop(service: ServiceProcess): Promise<unknown> {
    return ask(service, `${SILOS}/${this.deviceId}/operations/${this.#operationId}/stop`, null);
  }

  protected reading(): object {
    return { ts: Date.now(), weight: 10_000 };
  }
}

export class StoppableRover extends StoppableDevice<FieldCommand> {
  static async register(service: ServiceProcess, deviceId: string): Promise<StoppableRover> {
    const location = { facility: 'facility-1', zone: 'a' };
    const device = { device_id: deviceId, name: deviceId, model: 'FR-7', location };
    const answer = await ask(service, FIELD_DEVICES, device);
    const { data } = (await answer.json()) as { data: { credentials: Credentials } };
    return new StoppableRover(data.credentials);
  }

  protected isStop(command: FieldCommand): boolean {
    return command.command === 'execute' && command.name === 'emergency_stop';
  }

  protected async obey(): Promise<void> {
    return;
  }

  protected stop(service: ServiceProcess): Promise<unknown> {
    return ask(service, `${FIELD_DEVICES}/${this.deviceId}/remote/command`, { command: 'emergency_stop' });
  }

  protected reading(): object {
    return { ts: Date.now(), latitude: 48.2, longitude: 16.3, battery_level: 100 };
  }
}
