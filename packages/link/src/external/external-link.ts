import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { TOPIC_ROOT, topicOf, UP_SUBJECTS } from '@granary/contract/link/messages';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import type { LinkFault } from '@granary/contract/sentences/faults';
import type { IPublishPacket } from 'mqtt-packet';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  DeviceLink,
  LinkConfiguration,
  LinkFigures,
  LinkHandler,
  LinkStatistics,
} from '../port.ts';
import { LinkRecords } from '../session/link-records.ts';
import { parseTopic } from '../topics.ts';
import { ConnectedDevices } from './connected-devices.ts';
import type { BrokerAccess } from './connection/broker-address.ts';
import type { BrokerConnection } from './connection/broker-connection.ts';
import { Dialer } from './connection/broker-connection.ts';
import { KeptConnection } from './connection/kept-connection.ts';
import { MessageReader } from './connection/message-reader.ts';
import { BrokerRefusal } from './connection/packets.ts';
import { FIRST_ERROR } from './connection/publish-window.ts';
import type { ExternalHandler } from './handler.ts';
import { Incoming } from './incoming.ts';
import { KnownDevices } from './known-devices.ts';
import { EXTERNAL_LIMITS, type ExternalLimits, NEVER_EXPIRES_S } from './limits.ts';
import { Outgoing } from './outgoing.ts';
import { StatusFeed } from './status-feed.ts';
import { ALWAYS_OWN, type CollectorTurn } from './turn.ts';

/**
 * The session in which the broker keeps the messages of all devices for the service. The id of a device cannot have a colon, so
 * no device can take this session over with its name.
 */
const COLLECTOR_ID = 'granary:collector';

/** Every node subscribes to the status messages, so that it knows which devices are connected. */
const STATUS_FILTER = `${TOPIC_ROOT}/+/status`;

/** No device has this topic; a node publishes on it to learn whether it may send commands. */
const COMMAND_TEST_TOPIC = topicOf('granary:test', 'command');

const CHECK_MS = 250;
/** How long a stop waits for messages that are being stored. */
const STOP_MS_MAX = 1_000;
const STOP_CHECK_MS = 10;

export interface ExternalLinkOptions {
  readonly broker: BrokerAccess;
  /** The beginning of the client ids of this node; no other client may have it. */
  readonly nodeName: string;
  /** The turn of the node, if there are several nodes. */
  readonly turn?: CollectorTurn;
  readonly limits?: ExternalLimits;
  readonly now?: () => number;
}

/**
 * The device link through an external broker. The broker keeps the messages of all devices in one session, and one node at a
 * time takes them from there (`turn`). Every node has a second connection, which sends to devices, knows which are connected,
 * and does not wait for the storage.
 */
export class ExternalLink implements DeviceLink {
  readonly #handler: LinkHandler;
  readonly #external: ExternalHandler;
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
  readonly #turn: CollectorTurn;
  readonly #control: KeptConnection;
  readonly #messages: KeptConnection;
  #reader: MessageReader | null = null;
  #hadSession = false;
  #asking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(handler: LinkHandler, external: ExternalHandler, options: ExternalLinkOptions) {
    const { broker, turn = ALWAYS_OWN, limits = EXTERNAL_LIMITS, now = Date.now } = options;
    this.#handler = handler;
    this.#external = external;
    this.#options = options;
    this.#turn = turn;
    this.#limits = limits;
    this.#now = now;
    this.#dialer = new Dialer(broker, limits);
    this.#devices = new KnownDevices(external);
    const { settleMs } = limits;
    const isCurrent = (): boolean => this.#control.ready !== null;
    const shared = { connected: this.#connected, records: this.#records, now };
    this.#incoming = new Incoming({
      ...shared,
      handler,
      external,
      devices: this.#devices,
      settleMs,
      isCurrent,
    });
    this.#outgoing = new Outgoing({
      ...shared,
      limits,
      connection: () => this.#control.ready,
      verifyConfiguration: (deviceId) => void this.#verifyConfiguration(deviceId),
    });
    const deviceConnected = (deviceId: string): void => this.#outgoing.deviceConnected(deviceId);
    this.#statuses = new StatusFeed({ ...shared, handler, deviceConnected, host: broker.host });
    this.#control = this.#keptControl();
    this.#messages = this.#keptMessages();
  }

  /** True if this node receives the messages of devices; while no node does, the silence of devices means nothing. */
  get isListening(): boolean {
    return this.#timer !== undefined && this.#control.ready !== null && this.#messages.ready !== null;
  }

  async start(): Promise<BrokerAddresses> {
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    try {
      await this.#control.start();
      await this.#asking;
      await this.#messages.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
    const { host, port, isSecure } = this.#options.broker;
    const address = { host, port };
    return isSecure ? { plain: null, secure: address } : { plain: address, secure: null };
  }

  /** Stops the link. The session at the broker remains for another node, or for this one when it starts again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#devices.stop();
    const reader = this.#reader;
    reader?.stop();
    const untilMs = performance.now() + STOP_MS_MAX;
    while ((reader?.inFlight ?? 0) > 0 && performance.now() < untilMs) await setTimeout(STOP_CHECK_MS);
    reader?.flush();
    this.#messages.stop();
    this.#control.stop();
    void this.#turn.ask(false);
  }

  /** Refuses the connection, because devices connect to the broker only. */
  accept(stream: Duplex): () => void {
    stream.destroy();
    return () => undefined;
  }

  useCertificate(): void {
    // The broker has its own certificate.
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
      session: null,
      remoteAddress: null,
      unacknowledged: 0,
      isSubscribed: this.isReachable(deviceId),
    });
  }

  /**
   * Removes what is known of the device, and ends its connection by connecting with its client id, which every broker answers
   * by closing the older connection. The broker must allow this user every client id.
   */
  disconnect(deviceId: string): void {
    this.#devices.forget(deviceId);
    const events = { message: () => undefined, closed: () => undefined };
    this.#dialer.open({ clientId: deviceId, keepsSession: false }, events).then(
      (connection) => connection.leave(),
      (error: Error) => this.#fault(deviceId, sentence('connection_not_ended', { error: error.message })),
    );
  }

  health(): Promise<string> {
    if (this.#control.ready === null) return Promise.resolve('not connected to the broker');
    const isTaking = !this.#turn.isOwn || this.#messages.ready !== null;
    return Promise.resolve(isTaking ? 'ok' : 'takes no messages from the broker now');
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
        const clientId = `${this.#options.nodeName}:control`;
        return this.#dialer.open({ clientId, keepsSession: false }, { message: current.message, closed });
      },
      prepare: async (connection) => {
        current.attach(connection);
        this.#statuses.begin();
        await this.#testPublishing(connection);
        await connection.subscribe([STATUS_FILTER], true);
      },
      mayOpen: () => true,
      changed: (error) => {
        this.#connectionChanged('control', error);
        this.#asking = this.#turn.ask(error === null);
        if (error === null) this.#outgoing.sendMissing();
      },
    });
  }

  /** Refuses a broker on which this node may not publish, because the node could not stop anything. */
  async #testPublishing(connection: BrokerConnection): Promise<void> {
    const message = { topic: COMMAND_TEST_TOPIC, payload: '', isRetained: false, expiryS: 1 };
    const answer = await connection.publish(message, this.#limits.acknowledgementMs);
    if (typeof answer === 'object' && answer.code >= FIRST_ERROR)
      throw new BrokerRefusal(`the broker does not let this user publish on ${COMMAND_TEST_TOPIC}`);
  }

  #keptMessages(): KeptConnection {
    let current: MessageReader;
    return new KeptConnection({
      limits: this.#limits,
      open: (closed) => {
        current = new MessageReader(this.#incoming.take);
        const login = { clientId: COLLECTOR_ID, keepsSession: true };
        return this.#dialer.open(login, { message: current.message, closed });
      },
      prepare: async (connection) => {
        current.attach(connection);
        this.#reader = current;
        await connection.subscribe(COLLECTOR_FILTERS, false);
        this.#judgeSession(connection);
      },
      mayOpen: () => this.#turn.isOwn,
      changed: (error) => this.#messagesChanged(error),
    });
  }

  #messagesChanged(error: Error | null): void {
    if (error !== null && !this.#turn.isOwn) {
      this.#external.brokerEvent({ kind: 'passed_on' });
      return;
    }
    this.#connectionChanged('messages', error);
    // Another node may have taken the session because it has the turn now, and this one must not take it back.
    if (error !== null) this.#asking = this.#turn.ask(this.#control.ready !== null);
  }

  #judgeSession({ isSessionPresent, sessionExpiryS: expiryS }: BrokerConnection): void {
    if (this.#hadSession && !isSessionPresent) this.#external.brokerEvent({ kind: 'session_forgotten' });
    else if (!this.#hadSession && expiryS !== null && expiryS < NEVER_EXPIRES_S)
      this.#external.brokerEvent({ kind: 'session_limited', expiryS });
    this.#hadSession = true;
  }

  #controlMessage({ topic, payload, retain }: IPublishPacket): void {
    const deviceId = parseTopic(topic)?.deviceId;
    if (deviceId !== undefined) this.#statuses.received(deviceId, payload.toString(), retain);
  }

  /** Leaves the session to another node when this node no longer has the turn. */
  #check(): void {
    if (!this.#turn.isOwn) this.#messages.ready?.leave();
  }

  async #verifyConfiguration(deviceId: string): Promise<void> {
    const device = await this.#devices.find(deviceId).catch(() => null);
    if (device !== null) this.#handler.awaitsConfiguration(device);
  }

  #connectionChanged(connection: 'control' | 'messages', error: Error | null): void {
    const version = this.#dialer.version === 5 ? '5' : '3.1.1';
    this.#external.brokerEvent(
      error === null
        ? { kind: 'connected', connection, version }
        : { kind: 'lost', connection, reason: error.message },
    );
  }

  #fault(deviceId: string, told: LinkFault): void {
    const record = this.#records.of(deviceId);
    record.faults += 1;
    record.lastFault = { atMs: this.#now(), told };
    this.#records.totals.faults += 1;
    const remoteAddress = this.#options.broker.host;
    this.#handler.observed({ kind: 'fault', deviceId, remoteAddress, reason: inEnglish(told) });
  }
}

/** The filters for all messages that devices send. */
const COLLECTOR_FILTERS: readonly string[] = UP_SUBJECTS.map((subject) => `${TOPIC_ROOT}/+/${subject}`);
