import type { Socket } from 'node:net';
import { SECOND_MS } from '@granary/contract/time';
import packets, { type IConnackPacket, type IPublishPacket, type Packet } from 'mqtt-packet';
import type { ExternalLimits } from '../limits.ts';
import type { BrokerAccess } from './broker-address.ts';
import {
  BrokerRefusal,
  connectPacket,
  endText,
  type Login,
  type MqttVersion,
  openSocket,
  refusalOf,
  VersionRefused,
} from './packets.ts';
import { type OutgoingMessage, type Publication, PublishWindow } from './publish-window.ts';

type Events = Parameters<typeof BrokerConnection.open>[2];

/** Opens connections with MQTT 5, and with MQTT 3.1.1 to a broker that refuses it. */
export class Dialer {
  readonly broker: BrokerAccess;
  readonly #limits: ExternalLimits;
  #version: MqttVersion = 5;

  constructor(broker: BrokerAccess, limits: ExternalLimits) {
    this.broker = broker;
    this.#limits = limits;
  }

  get version(): MqttVersion {
    return this.#version;
  }

  async open(
    login: Pick<Login, 'clientId' | 'keepsSession' | 'will'>,
    events: Events,
  ): Promise<BrokerConnection> {
    try {
      return await this.#open(login, events);
    } catch (error) {
      if (!(error instanceof VersionRefused) || this.#version === 4) throw error;
      this.#version = 4;
      return await this.#open(login, events);
    }
  }

  async #open(
    login: Pick<Login, 'clientId' | 'keepsSession' | 'will'>,
    events: Events,
  ): Promise<BrokerConnection> {
    const { connectTimeoutMs, keepAliveS } = this.#limits;
    const { broker, version } = this;
    return await BrokerConnection.open({ ...login, broker, version, keepAliveS }, connectTimeoutMs, events);
  }
}

export interface ConnectionEvents {
  message(packet: IPublishPacket): void;
  /** Called once, if the connection was open; `error` is `null` if the service ended it. */
  closed(error: Error | null): void;
}

type Answer = PromiseWithResolvers<readonly number[]>;

/** Codes below this are granted levels of QoS. */
const FIRST_REFUSAL = 128;
const PACKET_ID_MAX = 65_535;
const SILENCE_FACTOR = 1.5;
/** How long the broker may take to close its side. */
const END_MS_MAX = SECOND_MS;

/** One connection to the broker, from its CONNECT to its end; it does not reconnect and repeats nothing. */
export class BrokerConnection {
  readonly login: Login;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #accepted = Promise.withResolvers<IConnackPacket>();
  readonly #answers = new Map<number, Answer>();
  readonly #publishing: PublishWindow;
  #state: 'opening' | 'open' | 'ending' | 'closed' = 'opening';
  #isSessionPresent = false;
  #sessionExpiryS: number | null = null;
  #failure: Error | null = null;
  #lastPacketId = 0;
  #receivedAtMs = performance.now();
  #keepAlive: NodeJS.Timeout | undefined;

  private constructor(login: Login, events: ConnectionEvents) {
    this.login = login;
    this.#events = events;
    this.#socket = openSocket(login.broker);
    this.#publishing = new PublishWindow(
      (packet) => this.#send(packet),
      () => this.#nextPacketId(),
    );
    const parser = packets.parser({ protocolVersion: login.version });
    parser.on('packet', (packet) => this.#received(packet));
    parser.on('error', (error) => this.fail(error));
    this.#socket.once(login.broker.isSecure ? 'secureConnect' : 'connect', () =>
      this.#socket.write(connectPacket(login)),
    );
    this.#socket.on('data', (chunk: Buffer) => {
      this.#receivedAtMs = performance.now();
      if (this.#state === 'opening' || this.#state === 'open') parser.parse(chunk);
    });
    this.#socket.on('error', (error) => this.fail(error));
    this.#socket.once('close', () => this.#closed());
  }

  /** Resolves when the broker has accepted the connection; rejects with the error of the network or a refusal. */
  static async open(login: Login, timeoutMs: number, events: ConnectionEvents): Promise<BrokerConnection> {
    const connection = new BrokerConnection(login, events);
    const timer = setTimeout(() => connection.fail(new Error('the broker does not answer')), timeoutMs);
    try {
      await connection.#accepted.promise;
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** True if the broker has kept the session of an earlier connection with this client id. */
  get isSessionPresent(): boolean {
    return this.#isSessionPresent;
  }

  /** The time for which the broker keeps the session, if it is shorter than the requested time. */
  get sessionExpiryS(): number | null {
    return this.#sessionExpiryS;
  }

  /**
   * Subscribes to the filters. Rejects if the broker refuses one of them, or if the connection ends before the answer. With
   * MQTT 3.1.1, retained messages are sent in any case.
   */
  async subscribe(filters: readonly string[], wantsRetained: boolean): Promise<void> {
    const messageId = this.#nextPacketId();
    const rh = wantsRetained ? 0 : 2;
    const subscriptions = filters.map((topic) => ({ topic, qos: 1 as const, rh }));
    const granted = await this.#request(messageId, { cmd: 'subscribe', messageId, subscriptions });
    const refused = filters.filter((_, index) => (granted[index] ?? FIRST_REFUSAL) >= FIRST_REFUSAL);
    if (refused.length > 0)
      throw new BrokerRefusal(`the broker refuses the subscription to ${refused.join(' and ')}`);
  }

  /** The message is written before this returns if the broker allows one more; never rejects. */
  publish(message: OutgoingMessage, waitMs: number): Promise<Publication> {
    return this.#publishing.publish(message, waitMs);
  }

  /** Writes encoded acknowledgements of received messages. */
  acknowledge(bytes: Buffer): void {
    if (this.isOpen) this.#socket.write(bytes);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#receivedAtMs = performance.now();
    this.#socket.resume();
  }

  /** Ends the connection when everything was sent. The broker keeps the session if the login asked for that. */
  leave(): void {
    if (!this.isOpen) return;
    this.#send({ cmd: 'disconnect', reasonCode: 0 });
    this.#state = 'ending';
    this.#publishing.close();
    this.#socket.end();
    // Unread bytes would make the operating system reset the connection, and written bytes could be lost.
    this.#socket.resume();
    setTimeout(() => this.#socket.destroy(), END_MS_MAX).unref();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
  }

  #received(packet: Packet): void {
    switch (packet.cmd) {
      case 'connack':
        this.#answered(packet);
        break;
      case 'publish':
        this.#events.message(packet);
        break;
      case 'puback':
        this.#publishing.acknowledged(packet.messageId ?? 0, packet.reasonCode ?? 0);
        break;
      case 'suback':
        this.#settle(packet.messageId, packet.granted as readonly number[]);
        break;
      case 'disconnect':
        this.fail(new Error(endText(packet.reasonCode ?? 0)));
        break;
      default:
        break;
    }
  }

  #answered(packet: IConnackPacket): void {
    const code = packet.reasonCode ?? packet.returnCode ?? 0;
    if (code !== 0) {
      this.fail(refusalOf(code));
      return;
    }
    this.#state = 'open';
    this.#isSessionPresent = packet.sessionPresent;
    this.#sessionExpiryS = packet.properties?.sessionExpiryInterval ?? null;
    this.#publishing.open(packet.properties?.receiveMaximum);
    const keepAliveMs = (packet.properties?.serverKeepAlive ?? this.login.keepAliveS) * SECOND_MS;
    this.#keepAlive = setInterval(() => this.#checkKeepAlive(keepAliveMs), keepAliveMs / 2);
    this.#accepted.resolve(packet);
  }

  /** Ends a silent connection. Time in which the service does not read does not count as silence of the broker. */
  #checkKeepAlive(keepAliveMs: number): void {
    const isSilent = performance.now() - this.#receivedAtMs > keepAliveMs * SILENCE_FACTOR;
    if (isSilent && !this.#socket.isPaused()) this.fail(new Error('the broker is silent'));
    else this.#send({ cmd: 'pingreq' });
  }

  #request(messageId: number, packet: Packet): Promise<readonly number[]> {
    const answer: Answer = Promise.withResolvers();
    if (this.isOpen) this.#answers.set(messageId, answer);
    else answer.reject(this.#error);
    this.#send(packet);
    return answer.promise;
  }

  #settle(messageId: number | undefined, granted: readonly number[]): void {
    if (messageId === undefined) return;
    this.#answers.get(messageId)?.resolve(granted);
    this.#answers.delete(messageId);
  }

  #send(packet: Packet): void {
    if (this.isOpen) this.#socket.write(packets.generate(packet, { protocolVersion: this.login.version }));
  }

  #nextPacketId(): number {
    do this.#lastPacketId = (this.#lastPacketId % PACKET_ID_MAX) + 1;
    while (this.#answers.has(this.#lastPacketId) || this.#publishing.uses(this.#lastPacketId));
    return this.#lastPacketId;
  }

  get #error(): Error {
    return this.#failure ?? new Error('the connection to the broker has ended');
  }

  #closed(): void {
    const before = this.#state;
    this.#state = 'closed';
    clearInterval(this.#keepAlive);
    this.#accepted.reject(this.#error);
    for (const { reject } of this.#answers.values()) reject(this.#error);
    this.#publishing.close();
    if (before !== 'opening') this.#events.closed(before === 'ending' ? null : this.#error);
  }
}
