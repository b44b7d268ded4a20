import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type IConnectPacket, type Packet, parser } from 'mqtt-packet';
import type { MosquittoBroker } from '../../link/mosquitto-broker.ts';

const HOST = '127.0.0.1';
const CONTROL = /:control$/;

/** The two connections of a node: one stores the messages of devices, the other one follows which devices are connected. */
type NodeConnection = 'messages' | 'control';
type Delivered = Readonly<{ topic: string; payload: Buffer | string }>;

/**
 * Stands between a service and its broker and reads all packets. A device learns only that the broker has its message, and a test has to
 * know when the service has stored it: that is when the service acknowledges the message to the broker.
 */
export class BrokerTap {
  readonly #broker: MosquittoBroker;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #acknowledged = new Map<string, number>();
  #changed = Promise.withResolvers<void>();

  private constructor(broker: MosquittoBroker) {
    this.#broker = broker;
    this.#server = createServer({ noDelay: true }, (client) => this.#relay(client));
  }

  static async start(broker: MosquittoBroker): Promise<BrokerTap> {
    const tap = new BrokerTap(broker);
    tap.#server.listen(0, HOST);
    await once(tap.#server, 'listening');
    return tap;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `mqtt://${HOST}:${address.port}`;
  }

  /** Resolves when the service has acknowledged such a message this often. */
  async acknowledged(connection: NodeConnection, message: Delivered, times: number): Promise<void> {
    const key = keyOf(connection, message);
    while ((this.#acknowledged.get(key) ?? 0) < times) await this.#changed.promise;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #relay(client: Socket): void {
    const { host, port } = this.#broker.access;
    const broker = connect({ host, port, noDelay: true });
    this.#readAlong(client, broker);
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  #readAlong(client: Socket, broker: Socket): void {
    const fromClient = parser();
    fromClient.on('error', () => undefined);
    client.on('data', (bytes: Buffer) => fromClient.parse(bytes));
    fromClient.once('packet', ({ cmd, ...connecting }: Packet) => {
      const { clientId, protocolVersion = 4 } = connecting as IConnectPacket;
      if (cmd !== 'connect' || !clientId.startsWith('granary:')) return;
      const connection = CONTROL.test(clientId) ? 'control' : 'messages';
      const delivered = new Map<number, string>();
      const fromBroker = parser({ protocolVersion });
      broker.on('data', (bytes: Buffer) => fromBroker.parse(bytes));
      fromBroker.on('packet', (packet) => {
        if (packet.cmd === 'publish' && packet.messageId !== undefined) {
          delivered.set(packet.messageId, keyOf(connection, packet));
        }
      });
      fromClient.on('packet', (packet) => {
        if (packet.cmd === 'puback') this.#count(delivered.get(packet.messageId ?? 0));
      });
    });
  }

  #count(key: string | undefined): void {
    if (key === undefined) return;
    this.#acknowledged.set(key, (this.#acknowledged.get(key) ?? 0) + 1);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

const keyOf = (connection: NodeConnection, { topic, payload }: Delivered): string =>
  `${connection} ${topic} ${payload}`;
