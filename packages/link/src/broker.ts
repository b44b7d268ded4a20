import { createServer, type Server, type Socket } from 'node:net';
import { checkDeviceId } from '@granary/contract/devices';
import { type DownSubject, topicOf } from '@granary/contract/link';
import type { AedesOptions, Client } from 'aedes';
import { Connection } from './connection.ts';
import { DeviceBroker, maySubscribe } from './device-broker.ts';
import {
  DEVICE_ID_CHARACTERS_MAX,
  LINK_LIMITS,
  type LinkLimits,
  MESSAGE_OVERHEAD_BYTES,
  TCP_KEEP_ALIVE_MS,
} from './limits.ts';
import type { CommandOptions, Delivery, DeviceLink, LinkConfiguration, LinkHandler } from './port.ts';
import { isDownSubject, ownSubject } from './topics.ts';
import { deliver } from './uplink.ts';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** The answer to a CONNECT, in the words of MQTT 3.1.1. */
class ConnectRefused extends Error {
  readonly returnCode: 3 | 4 | 5;

  constructor(returnCode: 3 | 4 | 5, message: string, options?: ErrorOptions) {
    super(message, options);
    this.returnCode = returnCode;
  }
}

const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
const NO_BYTES = Buffer.alloc(0);
const bytesOf = (payload: Buffer | string): Buffer =>
  typeof payload === 'string' ? Buffer.from(payload) : payload;

/** An MQTT 3.1.1 broker inside the process, for devices only. */
export class EmbeddedBroker implements DeviceLink {
  readonly #address: BrokerAddress;
  readonly #handler: LinkHandler;
  readonly #limits: LinkLimits;
  readonly #connectionOf = new WeakMap<Client, Connection>();
  readonly #open = new Set<Connection>();
  readonly #current = new Map<string, Connection>();
  #running: { readonly aedes: DeviceBroker; readonly server: Server } | null = null;

  constructor(address: BrokerAddress, handler: LinkHandler, limits = LINK_LIMITS) {
    this.#address = address;
    this.#handler = handler;
    this.#limits = limits;
  }

  get isListening(): boolean {
    return this.#running !== null;
  }

  get connectedCount(): number {
    return this.#current.size;
  }

  async start(): Promise<BrokerAddress> {
    const aedes = new DeviceBroker(this.#rules());
    aedes.on('keepaliveTimeout', (client) => this.#connectionOf.get(client)?.endingAs('lost'));
    aedes.on('clientError', (client, error) => {
      // What the network does carries a code; everything else is the broker turning the device away.
      if (!('code' in error)) this.#connectionOf.get(client)?.endingAs('closed');
    });
    await aedes.listen();
    const server = createServer(SOCKET_OPTIONS, (socket) => this.#accept(aedes, socket));
    server.maxConnections = this.#limits.connectionsMax;
    try {
      await listen(server, this.#address);
    } catch (error) {
      await closeBroker(aedes);
      throw error;
    }
    this.#running = { aedes, server };
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : this.#address.port;
    return { host: this.#address.host, port };
  }

  async stop(): Promise<void> {
    if (this.#running === null) return;
    const { aedes, server } = this.#running;
    this.#running = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const { socket } of this.#open) socket.destroy();
    await Promise.all([closed, closeBroker(aedes)]);
  }

  isConnected(deviceId: string): boolean {
    return this.#current.has(deviceId);
  }

  isReachable(deviceId: string): boolean {
    return this.#current.get(deviceId)?.subscribed.has('command') ?? false;
  }

  sendCommand(deviceId: string, command: object, { expiresAtMs }: CommandOptions): Delivery {
    if (expiresAtMs !== null && Date.now() >= expiresAtMs) return 'expired';
    return this.#send(deviceId, 'command', command);
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): Delivery {
    return this.#send(deviceId, 'config', configuration);
  }

  #send(deviceId: string, subject: DownSubject, payload: object): Delivery {
    const connection = this.#current.get(deviceId);
    if (this.#running === null || connection === undefined) return 'not_connected';
    if (!connection.subscribed.has(subject)) return 'not_subscribed';
    this.#running.aedes.publish(
      {
        cmd: 'publish',
        topic: topicOf(deviceId, subject),
        payload: Buffer.from(JSON.stringify(payload)),
        qos: 1,
        retain: false,
        dup: false,
      },
      () => undefined,
    );
    return 'sent';
  }

  disconnect(deviceId: string): void {
    this.#current.get(deviceId)?.end('closed');
  }

  #rules() {
    return {
      connectTimeout: this.#limits.connectTimeoutMs,
      maxClientsIdLength: DEVICE_ID_CHARACTERS_MAX,

      preConnect: (client, packet, done) => {
        // Kept here instead of in aedes, which would publish it at a takeover and at shutdown too.
        const connection = this.#connectionOf.get(client);
        if (connection !== undefined) connection.will = packet.will;
        delete packet.will;
        done(null, true);
      },

      authenticate: (client, username, password, done) => {
        this.#admit(client, username, password).then(
          () => done(null, true),
          (error: unknown) => done(refusalOf(error), null),
        );
      },

      authorizeSubscribe: (client, subscription, done) => {
        const isAllowed = maySubscribe(client.id, subscription.topic);
        if (isAllowed) setImmediate(() => this.#subscribed(client, subscription.topic));
        done(null, isAllowed ? subscription : null);
      },

      authorizePublish: (client, packet, done) => {
        const connection = client === null ? undefined : this.#connectionOf.get(client);
        const device = connection?.device;
        if (!connection || !device) return done(new Error('nobody published this'));
        const payload = bytesOf(packet.payload);
        const bytes = payload.length + MESSAGE_OVERHEAD_BYTES;
        connection.gate.messageEntered(bytes);
        deliver(this.#handler, device, packet.topic, payload).then(
          () => {
            connection.gate.messageLeft(bytes);
            // aedes keeps a QoS 2 packet until the device releases it; its content has been dealt with.
            packet.payload = NO_BYTES;
            done();
          },
          (cause: unknown) => {
            connection.gate.messageLeft(bytes);
            done(new Error('message was not taken', { cause }));
          },
        );
      },
    } satisfies AedesOptions;
  }

  #accept(aedes: DeviceBroker, socket: Socket): void {
    const connection = new Connection(socket, (refused, reason) => this.#refuse(refused, reason));
    this.#open.add(connection);
    socket.once('close', () => this.#ended(connection));
    connection.gate.install();
    this.#connectionOf.set(aedes.handle(socket), connection);
  }

  async #admit(client: Client, username: string | undefined, password: Buffer | undefined): Promise<void> {
    const connection = this.#connectionOf.get(client);
    if (!connection || username !== client.id || !password || !checkDeviceId.accepts(username)) {
      throw new ConnectRefused(
        5,
        'client id and user name must be the device id, with its secret as password',
      );
    }
    if (connection.will && ownSubject(username, connection.will.topic) !== 'status') {
      throw new ConnectRefused(5, 'a last will belongs on the device’s own status topic');
    }
    const device = await this.#handler.authenticate(username, password.toString());
    if (device === null) throw new ConnectRefused(4, 'bad user name or password');
    // Gone while we were asking: aedes waits for no answer any more, and nothing of it may stay behind.
    if (connection.socket.destroyed) return;
    const previous = this.#current.get(username);
    this.#current.set(username, connection);
    connection.admit(device);
    if (previous !== undefined) {
      previous.end('replaced');
      this.#handler.disconnected(device, 'replaced');
    }
    this.#handler.connected(device);
  }

  #subscribed(client: Client, topic: string): void {
    const connection = this.#connectionOf.get(client);
    const subject = ownSubject(client.id, topic);
    if (!connection?.device || this.#current.get(client.id) !== connection) return;
    if (subject === null || !isDownSubject(subject) || connection.subscribed.has(subject)) return;
    connection.subscribed.add(subject);
    if (subject === 'command') this.#handler.reachable(connection.device);
    else this.#handler.awaitsConfiguration(connection.device);
  }

  #refuse(connection: Connection, reason: string): void {
    connection.end('closed');
    if (connection.device === null) return;
    const rejection = { topic: '', reason, payloadExcerpt: '' };
    this.#handler.rejected(connection.device, rejection).catch(alreadyClosed);
  }

  #ended(connection: Connection): void {
    this.#open.delete(connection);
    const { device, ending, will } = connection;
    if (device === null || this.#current.get(device.deviceId) !== connection) return;
    this.#current.delete(device.deviceId);
    if (this.#running === null) return;
    if (will !== undefined && ending !== 'clean') {
      deliver(this.#handler, device, will.topic, bytesOf(will.payload)).catch(alreadyClosed);
    }
    this.#handler.disconnected(device, ending);
  }
}

/** The service failed to store something about a connection that has ended: there is nobody left to tell. */
const alreadyClosed = (): void => undefined;

const refusalOf = (error: unknown): ConnectRefused =>
  error instanceof ConnectRefused ? error : new ConnectRefused(3, 'server unavailable', { cause: error });

const closeBroker = (aedes: DeviceBroker): Promise<void> =>
  new Promise((resolve) => aedes.close(() => resolve()));

function listen(server: Server, { host, port }: BrokerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
