import {
  checkSiloCommand,
  type OperationAck,
  type OperationProgress,
  type SiloCommand,
  topicOf,
} from '@granary/contract/link';
import { connectAsync, type MqttClient } from 'mqtt';
import { type Api, siloNamed } from './service.ts';

const SILOS = '/v1/siloscale/devices';

/** A silo on the link that does what the test says and nothing else. */
export interface ScriptedSilo {
  readonly deviceId: string;
  /** Where the API keeps it. */
  readonly path: string;
  /** Every command so far, in order. */
  readonly commands: readonly SiloCommand[];
  /** The first command of this kind that has not been taken yet. */
  take(kind: SiloCommand['command']): Promise<SiloCommand>;
  weigh(weightKg: number): Promise<void>;
  ack(ack: OperationAck): Promise<void>;
  progress(progress: Omit<OperationProgress, 'ts'>): Promise<void>;
  publish(subject: 'ack' | 'progress' | 'status' | 'telemetry', payload: unknown): Promise<void>;
  /** Leaves without a word. */
  vanish(): Promise<void>;
  reconnect(): Promise<void>;
  leave(): Promise<void>;
}

interface Credentials {
  readonly username: string;
  readonly secret: string;
}

/** Registers the silo, connects it, and has it report that it is half full: 500 of 1,000 kg. */
export async function startSilo(
  api: Api,
  deviceId: string,
  weightKg: number | null = 500,
): Promise<ScriptedSilo> {
  const registered = await api.post(SILOS, siloNamed(deviceId));
  const silo = new Silo(api, registered.body.data.credentials);
  await silo.reconnect();
  if (weightKg === null) await silo.publish('status', { state: 'online' });
  else await silo.weigh(weightKg);
  return silo;
}

class Silo implements ScriptedSilo {
  readonly commands: SiloCommand[] = [];
  readonly #api: Api;
  readonly #credentials: Credentials;
  readonly #taken = new Set<SiloCommand>();
  #client: MqttClient | undefined;
  readonly #arrived: (() => void)[] = [];
  #lastTsMs = 0;

  constructor(api: Api, credentials: Credentials) {
    this.#api = api;
    this.#credentials = credentials;
  }

  get deviceId(): string {
    return this.#credentials.username;
  }

  get path(): string {
    return `${SILOS}/${this.deviceId}`;
  }

  async reconnect(): Promise<void> {
    const { username, secret: password } = this.#credentials;
    const login = { clientId: username, username, password, reconnectPeriod: 0 };
    const client = await connectAsync(this.#api.started.mqttUrl, login);
    client.on('error', () => undefined);
    client.on('message', (_topic, payload) => this.#receive(JSON.parse(payload.toString())));
    await client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    this.#client = client;
  }

  async take(kind: SiloCommand['command']): Promise<SiloCommand> {
    for (;;) {
      const next = this.commands.find((command) => command.command === kind && !this.#taken.has(command));
      if (next !== undefined) {
        this.#taken.add(next);
        return next;
      }
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
  }

  async publish(subject: 'ack' | 'progress' | 'status' | 'telemetry', payload: unknown): Promise<void> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    await this.#client?.publishAsync(topicOf(this.deviceId, subject), text, { qos: 1 });
  }

  weigh = (weight: number): Promise<void> => this.publish('telemetry', { ts: this.#ts(), weight });

  ack = (ack: OperationAck): Promise<void> => this.publish('ack', ack);

  progress = (progress: Omit<OperationProgress, 'ts'>): Promise<void> =>
    this.publish('progress', { ...progress, ts: this.#ts() });

  async vanish(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.stream.destroy();
    await closed;
  }

  async leave(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  /** Two messages in one millisecond must not look like one. */
  #ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }

  #receive(command: unknown): void {
    if (!checkSiloCommand.accepts(command)) throw new Error(`not a command: ${JSON.stringify(command)}`);
    this.commands.push(command);
    for (const resolve of this.#arrived.splice(0)) resolve();
  }
}
