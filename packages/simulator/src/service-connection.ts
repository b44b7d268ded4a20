import { randomUUID } from 'node:crypto';
import type { DeviceCredentials } from '@granary/contract/devices/devices';
import { type DeviceState, topicOf, type UpSubject } from '@granary/contract/link/messages';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';

const FIRST_WAIT_MS = 500;
const RECONNECT_MS_MAX = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const DISCONNECT_TIMEOUT_MS = 1_000;
/** CONNACK codes for a wrong name or secret, as opposed to a busy broker. */
const REFUSED_CODES: readonly unknown[] = [4, 5];

/** A message was not delivered, because the device was switched off. */
export class LinkStoppedError extends Error {
  constructor() {
    super('the link was stopped');
    this.name = 'LinkStoppedError';
  }
}

export interface ServiceConnectionOptions {
  readonly mqttUrl: string;
  readonly credentials: DeviceCredentials;
  /** Called when the broker refuses the credentials; the returned ones are used from then on. */
  readonly renewCredentials: () => Promise<DeviceCredentials>;
  readonly onChange: (change: LinkChange) => void;
  readonly onCommand: (payload: string) => void;
  readonly onConfiguration: (payload: string) => void;
  readonly random: () => number;
  /** The maximum wait between two connection attempts. */
  readonly reconnectMsMax?: number;
}

export type LinkChange = { readonly state: 'up' } | { readonly state: 'down'; readonly reason: string };

/** One device's connection to the broker; it reconnects until it is stopped. */
export class ServiceConnection {
  readonly #options: ServiceConnectionOptions;
  #credentials: DeviceCredentials;
  #state: 'stopped' | 'running' | 'cut' = 'stopped';
  /** The present connection, or the attempt to make one. */
  #client: MqttClient | undefined;
  /** Names the present connection, so that the end of an older one is not taken for its end. */
  #session = '';
  #up = nextConnection();
  #isUp = false;
  #failures = 0;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(options: ServiceConnectionOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
  }

  start(): void {
    this.#state = 'running';
    this.#open();
  }

  /** Resolves when the broker has acknowledged the message; after a lost connection the message is sent again on the next one. */
  async deliver(subject: UpSubject, payload: unknown): Promise<void> {
    for (;;) {
      const client = await this.#up.promise;
      try {
        await publish(client, topicOf(this.#credentials.username, subject), payload);
        return;
      } catch {
        this.#connectionLost(client, 'the connection broke');
      }
    }
  }

  /** Closes the connection without DISCONNECT and does not reconnect until `restore`. */
  cut(): void {
    if (this.#state !== 'running') return;
    this.#state = 'cut';
    clearTimeout(this.#retryTimer);
    if (this.#client !== undefined) this.#connectionLost(this.#client, 'the connection was cut');
  }

  restore(): void {
    if (this.#state === 'cut') this.start();
  }

  /** Reports `offline` and sends DISCONNECT, so that the broker does not have to wait for a timeout. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    clearTimeout(this.#retryTimer);
    const client = this.#client;
    this.#client = undefined;
    this.#up.reject(new LinkStoppedError());
    this.#up = nextConnection();
    this.#up.reject(new LinkStoppedError());
    if (client === undefined) return;
    const timer = setTimeout(() => client.stream.destroy(), DISCONNECT_TIMEOUT_MS);
    if (this.#isUp) await this.#announce(client, 'offline').catch(() => undefined);
    const hasUnacknowledged = Object.keys(client.outgoing).length > 0;
    await client.endAsync(hasUnacknowledged || !client.connected);
    clearTimeout(timer);
  }

  #open(): void {
    const session = randomUUID();
    const client = connect(this.#connectOptions(session));
    this.#client = client;
    this.#session = session;
    let failure: Error | undefined;
    client.on('error', (error) => {
      failure = error;
    });
    client.on('connect', () => {
      this.#subscribe(client).then(
        () => this.#connected(client),
        () => client.stream.destroy(),
      );
    });
    client.on('message', (topic, payload) => {
      if (client === this.#client) this.#dispatch(topic, payload.toString());
    });
    client.once('close', () => {
      // Only a forced end makes the library reject unacknowledged messages; otherwise `deliver` would never settle.
      client.end(true);
      this.#connectionLost(client, reasonOf(failure), isRefusal(failure));
    });
  }

  #connectOptions(session: string): IClientOptions {
    const { username, secret } = this.#credentials;
    return {
      ...addressIn(this.#options.mqttUrl),
      clientId: username,
      username,
      password: secret,
      clean: true,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // This class reconnects itself, because the library waits the same time after every failure.
      reconnectPeriod: 0,
      will: {
        topic: topicOf(username, 'status'),
        payload: Buffer.from(JSON.stringify(stateMessage('offline', session))),
        qos: 1,
        retain: true,
      },
    };
  }

  /** Subscribes before it reports `online`, so that a device that is shown online can be reached. */
  async #subscribe(client: MqttClient): Promise<void> {
    const { username } = this.#credentials;
    await client.subscribeAsync([topicOf(username, 'config'), topicOf(username, 'command')], { qos: 1 });
    await this.#announce(client, 'online');
  }

  #dispatch(topic: string, payload: string): void {
    const { onCommand, onConfiguration } = this.#options;
    if (topic === topicOf(this.#credentials.username, 'config')) onConfiguration(payload);
    else onCommand(payload);
  }

  #announce(client: MqttClient, state: DeviceState['state']): Promise<void> {
    return publish(
      client,
      topicOf(this.#credentials.username, 'status'),
      stateMessage(state, this.#session),
      true,
    );
  }

  #connected(client: MqttClient): void {
    if (client !== this.#client) return;
    this.#failures = 0;
    this.#isUp = true;
    this.#options.onChange({ state: 'up' });
    this.#up.resolve(client);
  }

  /** May be called more than once for the same connection; only the first call has an effect. */
  #connectionLost(client: MqttClient, reason: string, isRefused = false): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    client.stream.destroy();
    if (this.#isUp || this.#failures === 0) this.#options.onChange({ state: 'down', reason });
    if (this.#isUp) this.#up = nextConnection();
    this.#isUp = false;
    this.#failures++;
    if (this.#state === 'running') this.#retry(isRefused);
  }

  #retry(isRefused: boolean): void {
    const { random, reconnectMsMax } = this.#options;
    const waitMs = backoffMs(this.#failures, random, reconnectMsMax);
    this.#retryTimer = setTimeout(() => void (isRefused ? this.#reopenRenewed() : this.#open()), waitMs);
  }

  async #reopenRenewed(): Promise<void> {
    try {
      this.#credentials = await this.#options.renewCredentials();
    } catch (failure) {
      this.#options.onChange({ state: 'down', reason: `no new secret: ${reasonOf(failure)}` });
    }
    if (this.#state === 'running' && this.#client === undefined) this.#open();
  }
}

/** The promise may be rejected while no caller waits for it, which must not become an unhandled rejection. */
function nextConnection(): PromiseWithResolvers<MqttClient> {
  const connection = Promise.withResolvers<MqttClient>();
  connection.promise.catch(() => undefined);
  return connection;
}

async function publish(client: MqttClient, topic: string, payload: unknown, retain = false): Promise<void> {
  await client.publishAsync(topic, JSON.stringify(payload), { qos: 1, retain });
}

const stateMessage = (state: DeviceState['state'], session: string): DeviceState => ({ state, session });

const isRefusal = (failure: Error | undefined): boolean =>
  failure !== undefined && 'code' in failure && REFUSED_CODES.includes(failure.code);

const reasonOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : 'the connection was closed';

/** Given an address as text, the library uses a function that is deprecated and warns about it. */
function addressIn(mqttUrl: string): Pick<IClientOptions, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(mqttUrl);
  return {
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
  };
}

/** The wait doubles with each failure; half of it is random, so that not all devices of a farm reconnect at the same moment. */
export function backoffMs(failures: number, random: () => number, waitMsMax = RECONNECT_MS_MAX): number {
  const ceilingMs = Math.min(waitMsMax, FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + 0.5 * random());
}
