import packets from 'mqtt-packet';
import type { BrokerAccess } from './connection/broker-address.ts';
import { type BrokerConnection, Dialer } from './connection/broker-connection.ts';
import { KeptConnection } from './connection/kept-connection.ts';
import { FIRST_ERROR } from './connection/publish-window.ts';
import { EXTERNAL_LIMITS } from './limits.ts';

interface OtherBrokerParts {
  readonly access: BrokerAccess;
  readonly clientId: string;
  readonly will: { readonly topic: string; readonly payload: string };
  readonly filters: readonly string[];
  readonly received: (topic: string, payload: string) => void;
  /** Is called with `null` when the connection is ready, otherwise with the reason why it ended or could not be opened. */
  readonly changed: (error: Error | null) => void;
}

/** The times are longer than for the broker of the devices, so that this broker is asked rarely: nothing depends on it. */
const LIMITS = { ...EXTERNAL_LIMITS, keepAliveS: 30, reconnectMs: 1_000, reconnectMsMax: 60_000 };
const PUBLISH_MS_MAX = 5_000;

/** A broker other than that of the devices, to which the service publishes messages. */
export class OtherBroker {
  readonly #parts: OtherBrokerParts;
  readonly #kept: KeptConnection;

  constructor(parts: OtherBrokerParts) {
    this.#parts = parts;
    const dialer = new Dialer(parts.access, LIMITS);
    this.#kept = new KeptConnection({
      limits: LIMITS,
      open: async (closed) => {
        const { clientId, will } = parts;
        const opened: { connection?: BrokerConnection } = {};
        opened.connection = await dialer.open(
          { clientId, will, keepsSession: false },
          { message: (packet) => this.#received(packet, dialer.version, opened.connection), closed },
        );
        return opened.connection;
      },
      prepare: (connection) => connection.subscribe(parts.filters, true),
      mayOpen: () => true,
      changed: parts.changed,
    });
  }

  get isReady(): boolean {
    return this.#kept.ready !== null;
  }

  /** Opens the connection as soon as the broker accepts it; a broker that refuses is asked again. */
  start(): void {
    this.#kept.startLater();
  }

  stop(): void {
    this.#kept.stop();
  }

  /** Publishes a retained message; returns whether the broker has accepted it. */
  async publish(topic: string, payload: string): Promise<boolean> {
    const message = { topic, payload, isRetained: true, expiryS: null };
    const publication = (await this.#kept.ready?.publish(message, PUBLISH_MS_MAX)) ?? 'unsent';
    return typeof publication === 'object' && publication.code < FIRST_ERROR;
  }

  #received(
    { topic, payload, qos, messageId }: packets.IPublishPacket,
    protocolVersion: 4 | 5,
    connection: BrokerConnection | undefined,
  ): void {
    if (qos === 1 && messageId !== undefined)
      connection?.acknowledge(packets.generate({ cmd: 'puback', messageId }, { protocolVersion }));
    this.#parts.received(topic, payload.toString());
  }
}
