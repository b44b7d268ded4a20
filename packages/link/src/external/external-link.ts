import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { IPublishPacket } from 'mqtt-packet';
import { LinkRecords } from '../broker/link-records.ts';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  DeviceLink,
  LinkConfiguration,
  LinkFigures,
  LinkStatistics,
} from '../port.ts';
import { parseTopic } from '../topics.ts';
import { ConnectedDevices } from './connected-devices.ts';
import type { BrokerAccess } from './connection/broker-address.ts';
import { Dialer } from './connection/dialer.ts';
import { KeptConnection } from './connection/kept-connection.ts';
import { MessageReader } from './connection/message-reader.ts';
import type { BrokerEvent, ExternalHandler } from './handler.ts';
import { Incoming } from './incoming.ts';
import { KnownDevices } from './known-devices.ts';
import { EXTERNAL_LIMITS, type ExternalLimits } from './limits.ts';
import { goneWill, NodeRecords } from './node-records.ts';
import { Outgoing } from './outgoing.ts';
import { StatusFeed } from './status-feed.ts';
import { NODES_FILTER, nodeOfTopic, SHARED_FILTERS, STATUS_FILTER } from './topics.ts';

const CHECK_MS = 250;
/** How long a stop waits for messages that are being stored. */
const STOP_MS_MAX = 1_000;
const STOP_CHECK_MS = 10;

export interface ExternalLinkOptions {
  readonly broker: BrokerAccess;
  /** The same after a restart, so that the node gets what waits for it. */
  readonly clientId: string;
  readonly limits?: ExternalLimits;
  readonly now?: () => number;
}

/**
 * The device link through an external broker. One connection takes the messages of devices, in a session that the broker keeps;
 * the other one sends to them and knows who is connected, and does not wait for the storage.
 */
export class ExternalLink implements DeviceLink {
  readonly #handler: ExternalHandler;
  readonly #options: ExternalLinkOptions;
  readonly #limits: ExternalLimits;
  readonly #now: () => number;
  readonly #dialer: Dialer;
  readonly #devices: KnownDevices;
  readonly #connected = new ConnectedDevices();
  readonly #records = new LinkRecords();
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #statuses: StatusFeed;
  readonly #nodes: NodeRecords;
  readonly #control: KeptConnection;
  readonly #messages: KeptConnection;
  #reader: MessageReader | null = null;
  #holdingSinceMs: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(handler: ExternalHandler, options: ExternalLinkOptions) {
    const { broker, limits = EXTERNAL_LIMITS, now = Date.now, clientId: ownId } = options;
    this.#handler = handler;
    this.#options = options;
    this.#limits = limits;
    this.#now = now;
    const dialer = new Dialer(broker, limits);
    this.#dialer = dialer;
    this.#devices = new KnownDevices(handler);
    const { settleMs } = limits;
    const isCurrent = (): boolean => this.#control.ready !== null;
    const shared = { connected: this.#connected, records: this.#records, now };
    this.#incoming = new Incoming({ ...shared, handler, devices: this.#devices, settleMs, isCurrent });
    this.#outgoing = new Outgoing({
      ...{ ...shared, limits, connection: () => this.#control.ready },
      verifyConfiguration: (deviceId) => void this.#verifyConfiguration(deviceId),
    });
    this.#statuses = new StatusFeed({ ...shared, handler, host: broker.host });
    const { take } = this.#incoming;
    const mayTake = (): boolean => !this.#isHolding;
    this.#nodes = new NodeRecords({
      ...{ ownId, dialer, limits, take, mayTake, own: () => this.#messages.ready },
      takenOver: (clientId, error) => this.#takenOver(clientId, error),
    });
    this.#control = this.#keptControl();
    this.#messages = this.#keptMessages();
  }

  /** Devices can be heard; while there is no connection to the broker, their silence says nothing about them. */
  get isListening(): boolean {
    return this.#timer !== undefined && this.#control.ready !== null && this.#messages.ready !== null;
  }

  async start(): Promise<BrokerAddresses> {
    try {
      await this.#control.start();
      await this.#messages.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#nodes.start();
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    const { host, port, isSecure } = this.#options.broker;
    const address = { host, port };
    return isSecure ? { plain: null, secure: address } : { plain: address, secure: null };
  }

  /** The session at the broker remains, for this node when it starts again, or for another one. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#devices.stop();
    this.#nodes.stop();
    const reader = this.#reader;
    reader?.stop();
    const untilMs = performance.now() + STOP_MS_MAX;
    while ((reader?.inFlight ?? 0) > 0 && performance.now() < untilMs) await setTimeout(STOP_CHECK_MS);
    reader?.flush();
    this.#messages.stop((connection) => connection.leave());
    this.#control.stop((connection) => connection.disconnect());
  }

  /** Devices connect to the broker only. */
  accept(stream: Duplex): () => void {
    stream.destroy();
    return () => undefined;
  }

  useCertificate(): void {
    // The ports of the broker have their own certificate.
  }

  sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    return this.#outgoing.sendCommand(deviceId, command, options);
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void {
    this.#outgoing.sendConfiguration(deviceId, configuration);
  }

  isReachable(deviceId: string): boolean {
    return this.#control.ready !== null && this.#connected.isReachable(deviceId);
  }

  isConnected(deviceId: string): boolean {
    return this.#control.ready !== null && this.#connected.isConnected(deviceId);
  }

  linkStatistics(deviceId: string): Promise<LinkStatistics> {
    const isConnected = this.isConnected(deviceId);
    return Promise.resolve({
      ...this.#records.statisticsOf(deviceId),
      connectedSinceMs: isConnected ? this.#connected.connectedSinceMs(deviceId) : null,
      ...{ session: null, remoteAddress: null, unacknowledged: 0 },
      isSubscribed: this.isReachable(deviceId),
    });
  }

  /**
   * Forgets what is known of the device, and ends its connection by connecting with its client id, which every broker answers
   * by closing the older connection. The broker must allow this user any client id.
   */
  disconnect(deviceId: string): void {
    this.#devices.forget(deviceId);
    const events = { message: () => undefined, closed: () => undefined };
    this.#dialer.open({ clientId: deviceId, session: null, will: null }, events).then(
      (connection) => connection.disconnect(),
      (error: Error) =>
        this.#fault(deviceId, `the connection of the device could not be ended: ${error.message}`),
    );
  }

  health(): Promise<string> {
    if (this.#control.ready === null) return Promise.resolve('not connected to the broker');
    return Promise.resolve(this.#messages.ready === null ? 'takes no messages from the broker now' : 'ok');
  }

  figures(): Promise<LinkFigures> {
    const openCount = [this.#control, this.#messages].filter(({ ready }) => ready !== null).length;
    const { connectedCount } = this.#connected;
    return Promise.resolve({ connectedCount, openCount, totals: this.#records.totals });
  }

  #keptControl(): KeptConnection {
    const reader = (): MessageReader => new MessageReader(async (packet) => this.#controlMessage(packet));
    let current = reader();
    return new KeptConnection({
      limits: this.#limits,
      open: (closed) => {
        current = reader();
        const clientId = `${this.#options.clientId}-control`;
        const { message } = current;
        return this.#dialer.open({ clientId, session: null, will: null }, { message, closed });
      },
      prepare: async (connection) => {
        current.attach(connection);
        this.#connected.clear();
        this.#nodes.reset();
        await connection.subscribe([STATUS_FILTER, NODES_FILTER]);
      },
      mayOpen: () => true,
      changed: (error) => {
        this.#connectionChanged('control', error);
        if (error === null) this.#outgoing.sendMissing();
      },
    });
  }

  #keptMessages(): KeptConnection {
    let current: MessageReader;
    return new KeptConnection({
      limits: this.#limits,
      open: (closed) => {
        current = new MessageReader(this.#incoming.take);
        const { clientId } = this.#options;
        const { message } = current;
        return this.#dialer.open(
          { clientId, session: 'kept', will: goneWill(clientId) },
          { message, closed },
        );
      },
      prepare: async (connection) => {
        current.attach(connection);
        this.#reader = current;
        await connection.subscribe(SHARED_FILTERS);
        await this.#nodes.stateOwn(connection);
      },
      mayOpen: () => !this.#isHolding,
      changed: (error) => this.#connectionChanged('messages', error),
    });
  }

  #controlMessage({ topic, payload, retain }: IPublishPacket): void {
    const text = payload.toString();
    const node = nodeOfTopic(topic);
    const deviceId = parseTopic(topic)?.deviceId;
    if (node !== null) this.#nodes.received(node, text);
    else if (deviceId !== undefined) this.#statuses.received(deviceId, text, retain);
  }

  /** Messages wait for the storage. */
  get #isHolding(): boolean {
    return this.#handler.isHolding || this.#devices.isWaiting;
  }

  /** While the storage does not answer, the messages of this node are left to the others. */
  #check(): void {
    const nowMs = performance.now();
    this.#nodes.keepStating(this.#messages.ready);
    if (!this.#isHolding) this.#holdingSinceMs = null;
    else this.#holdingSinceMs ??= nowMs;
    if (this.#holdingSinceMs === null || nowMs - this.#holdingSinceMs < this.#limits.holdingMsMax) return;
    this.#messages.ready?.leave();
    this.#nodes.leaveTaken();
  }

  async #verifyConfiguration(deviceId: string): Promise<void> {
    const device = await this.#devices.find(deviceId).catch(() => null);
    if (device !== null) this.#handler.awaitsConfiguration(device);
  }

  #takenOver(clientId: string, error: Error | null): void {
    const event: BrokerEvent =
      error === null
        ? { kind: 'session_taken_over', clientId }
        : { kind: 'takeover_failed', clientId, reason: error.message };
    this.#handler.brokerEvent(event);
  }

  #connectionChanged(connection: 'control' | 'messages', error: Error | null): void {
    const version = this.#dialer.version === 5 ? '5' : '3.1.1';
    this.#handler.brokerEvent(
      error === null
        ? { kind: 'connected', connection, version }
        : { kind: 'lost', connection, reason: error.message },
    );
  }

  #fault(deviceId: string, reason: string): void {
    const record = this.#records.of(deviceId);
    record.faults += 1;
    record.lastFault = { atMs: this.#now(), reason };
    this.#records.totals.faults += 1;
    const remoteAddress = this.#options.broker.host;
    this.#handler.observed({ kind: 'fault', deviceId, remoteAddress, reason });
  }
}
