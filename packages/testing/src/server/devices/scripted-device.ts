import type { Checker } from '@granary/contract/input/schema';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import type { Api } from '../service.ts';

/** The limit is minutes, because a busy machine is slow; a test that passes does not wait for it. */
const PATIENCE_MS = 180_000;

interface Credentials {
  readonly username: string;
  readonly secret: string;
}

interface DeviceParts<Command> {
  readonly api: Api;
  /** The path of the device group in the API. */
  readonly root: string;
  readonly credentials: Credentials;
  readonly checkCommand: Checker<Command>;
}

/** A device on the link that sends only what the test sends with it. */
export class ScriptedDevice<Command extends { readonly command: string }> {
  /** Every command so far, in order. */
  readonly commands: Command[] = [];
  /** Every configuration so far, in order; none before the device has subscribed to them. */
  readonly configurations: ReturnType<typeof JSON.parse>[] = [];
  readonly #parts: DeviceParts<Command>;
  readonly #taken = new Set<Command>();
  readonly #arrived: (() => void)[] = [];
  #client: MqttClient | undefined;
  #session: ReturnType<Api['link']['session']> | undefined;
  #lastTsMs = 0;

  constructor(parts: DeviceParts<Command>) {
    this.#parts = parts;
  }

  get deviceId(): string {
    return this.#parts.credentials.username;
  }

  /** The path of the device in the API. */
  get path(): string {
    return `${this.#parts.root}/${this.deviceId}`;
  }

  async reconnect(options: IClientOptions = {}): Promise<void> {
    const { api, credentials } = this.#parts;
    const { username, secret: password } = credentials;
    const session = api.link.session(username);
    const login = { clientId: username, username, password, reconnectPeriod: 0 };
    const client = await connectAsync(api.started.mqttUrl, { ...login, ...options, ...session.options });
    client.on('error', () => undefined);
    client.on('message', (topic, payload) => this.#receive(topic, JSON.parse(payload.toString())));
    await client.subscribeAsync(topicOf(username, 'command'), { qos: 1 });
    this.#client = client;
    this.#session = session;
    await session.begin(client);
  }

  /** The first command of this kind that has not been taken yet. */
  async take<Kind extends Command['command']>(kind: Kind): Promise<Command & { command: Kind }> {
    const isNext = (command: Command): command is Command & { command: Kind } =>
      command.command === kind && !this.#taken.has(command);
    const tooLate = new Error(`no further ${kind} arrived`);
    for (;;) {
      const next = this.commands.find(isNext);
      if (next !== undefined) {
        this.#taken.add(next);
        return next;
      }
      await this.#arrival(tooLate);
    }
  }

  /** Resolves when the service has used the message. */
  async publish(subject: UpSubject, payload: unknown): Promise<void> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    if (this.#client !== undefined) await this.#session?.publish(this.#client, subject, text);
  }

  async subscribeToConfigurations(): Promise<void> {
    await this.#client?.subscribeAsync(topicOf(this.deviceId, 'config'), { qos: 1 });
  }

  /** Resolves when the present connection has ended, whichever side ended it. */
  async closed(): Promise<void> {
    const client = this.#client;
    if (client?.connected) await new Promise<void>((resolve) => client.once('close', () => resolve()));
  }

  /** Closes the connection without DISCONNECT. */
  async dropConnection(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const closed = this.closed();
    client.stream.destroy();
    await closed;
  }

  /** Closes the connection with DISCONNECT. */
  async disconnect(): Promise<void> {
    await this.#client?.endAsync();
  }

  async leave(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  /** The next time of a message; two messages in one millisecond get different times. */
  ts(): number {
    this.#lastTsMs = Math.max(Date.now(), this.#lastTsMs + 1);
    return this.#lastTsMs;
  }

  #arrival(tooLate: Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(tooLate), PATIENCE_MS).unref();
      this.#arrived.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #receive(topic: string, message: unknown): void {
    if (topic === topicOf(this.deviceId, 'config')) this.configurations.push(message);
    else this.#receiveCommand(message);
  }

  #receiveCommand(command: unknown): void {
    const { checkCommand } = this.#parts;
    if (!checkCommand.accepts(command)) throw new Error(`not a command: ${JSON.stringify(command)}`);
    this.commands.push(command);
    for (const resolve of this.#arrived.splice(0)) resolve();
  }
}
