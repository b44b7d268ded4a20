import type { Duplex } from 'node:stream';
import { checkDeviceId } from '@granary/contract/ids';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import { printable } from '../codec.ts';
import { LINK_LIMITS, type LinkLimits, REASON_CHARACTERS_MAX } from '../limits.ts';
import type { Frame } from '../mqtt/frame-reader.ts';
import { type ConnectPacket, decodeConnect } from '../mqtt/packet-decoder.ts';
import { connack } from '../mqtt/packet-encoder.ts';
import { ProtocolFault } from '../mqtt/packet-types.ts';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkHandler,
  LinkStatistics,
  LinkTotals,
  SessionType,
} from '../port.ts';
import { Connection, type ConnectionEvents, startSilenceCheck } from '../session/connection.ts';
import { deliver } from '../session/deliver.ts';
import { DeviceChannel } from '../session/device-channel.ts';
import { LinkRecords } from '../session/link-records.ts';
import { AbsentSessions, newSession, resumable, type Session } from '../session/session.ts';
import { SharedReading, type SharedReadingOptions } from '../session/shared-reading.ts';
import type { CertificatePair } from '../tls.ts';
import { Admission, type Refused } from './admission.ts';
import { Listener } from './listener.ts';

const MS_PER_S = 1_000;
const STOPS = 'the service stops';

/**
 * An MQTT 3.1.1 server inside the process, for devices only: they exchange messages with the service, never with one
 * another, so the server does not route, retain or queue messages.
 */
export class EmbeddedBroker {
  readonly #addresses: BrokerAddresses;
  readonly #certificate: CertificatePair | null;
  readonly #listener: Listener;
  readonly #handler: LinkHandler;
  readonly #limits: LinkLimits;
  readonly #now: () => number;
  readonly #admission: Admission;
  readonly #records = new LinkRecords();
  readonly #absentSessions: AbsentSessions;
  readonly #open = new Set<Connection>();
  readonly #waiting = new WaitingConnections();
  readonly #reading: SharedReading;
  readonly #endedByStop = new WeakSet<Connection>();
  readonly #channelOf = new WeakMap<Connection, DeviceChannel>();
  readonly #current = new Map<string, DeviceChannel>();
  #silenceCheck: NodeJS.Timeout | null = null;

  constructor(addresses: BrokerAddresses, handler: LinkHandler, options: BrokerOptions = {}) {
    const { limits = LINK_LIMITS, now = Date.now, certificate = null, sharesPorts = false } = options;
    const { logIn = (...login) => handler.authenticate(...login) } = options;
    this.#addresses = addresses;
    this.#certificate = certificate;
    this.#handler = handler;
    this.#limits = limits;
    this.#now = now;
    this.#admission = new Admission(logIn, limits);
    this.#reading = new SharedReading(this.#open, handler, limits, options);
    this.#absentSessions = new AbsentSessions(limits);
    const failed = (remoteAddress: string, reason: string, cause?: Error): void => {
      this.#records.totals.faults += 1;
      this.#handler.observed({
        kind: 'fault',
        deviceId: null,
        remoteAddress,
        reason,
        ...(cause === undefined ? {} : { cause }),
      });
    };
    this.#listener = new Listener(
      { accepted: (socket) => this.accept(socket, socket.remoteAddress ?? 'unknown'), failed },
      limits,
      sharesPorts,
    );
  }

  get isListening(): boolean {
    return this.#silenceCheck !== null;
  }

  get connectedCount(): number {
    return this.#current.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get totals(): LinkTotals {
    return this.#records.totals;
  }

  async start(): Promise<BrokerAddresses> {
    const bound = await this.#listener.start(this.#addresses, this.#certificate);
    this.#silenceCheck = startSilenceCheck(this.#open, this.#limits.connectTimeoutMs);
    return bound;
  }

  async stop(): Promise<void> {
    if (this.#silenceCheck === null) return;
    clearInterval(this.#silenceCheck);
    this.#silenceCheck = null;
    const stopped = this.#listener.stop();
    for (const connection of this.#open) connection.end('closed', STOPS);
    await stopped;
  }

  useCertificate(certificate: CertificatePair): void {
    this.#listener.useCertificate(certificate);
  }

  isConnected(deviceId: string): boolean {
    return this.#live(deviceId) !== undefined;
  }

  isReachable(deviceId: string): boolean {
    return this.#live(deviceId)?.isSubscribed('command') ?? false;
  }

  /** The message is written to the device's connection before this returns, or never: nothing is queued or redelivered. */
  sendCommand(deviceId: string, command: object, { expiresAtMs, repeatKey }: CommandOptions): Delivery {
    const delivery =
      expiresAtMs !== null && this.#now() >= expiresAtMs
        ? 'expired'
        : (this.#live(deviceId)?.sendCommand(command, repeatKey) ?? 'not_connected');
    this.#records.countUnsent(deviceId, delivery);
    return delivery;
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): Delivery {
    return this.#live(deviceId)?.sendConfiguration(configuration) ?? 'not_connected';
  }

  disconnect(deviceId: string): void {
    this.#current.get(deviceId)?.parts.connection.end('closed', 'the service ended the session');
  }

  /** Ends the device's connection, because it has logged in elsewhere; its end is reported before this returns. */
  release(deviceId: string, remoteAddress: string): boolean {
    const channel = this.#current.get(deviceId);
    if (channel === undefined) return false;
    this.#replace(channel, remoteAddress);
    this.#current.delete(deviceId);
    channel.parts.record.takeovers += 1;
    this.#reportEnd(channel);
    return true;
  }

  linkStatistics(deviceId: string): LinkStatistics {
    return {
      ...this.#records.statisticsOf(deviceId),
      ...stateOf(this.#live(deviceId)),
      isSubscribed: this.isReachable(deviceId),
    };
  }

  /** Leaves out a connection whose end is known but not yet reported to the service. */
  #live(deviceId: string): DeviceChannel | undefined {
    const channel = this.#current.get(deviceId);
    return channel?.parts.connection.hasEnded ? undefined : channel;
  }

  readonly #events: ConnectionEvents = {
    connect: (connection, frame) => this.#connect(connection, frame),
    failed: (connection, error) => this.#failed(connection, error),
    closed: (connection) => this.#closed(connection),
  };

  accept(stream: Duplex, remoteAddress: string): () => void {
    if (this.#open.size >= this.#limits.connectionsMax && !this.#makeRoom()) {
      stream.destroy();
      return () => undefined;
    }
    const connection = new Connection(stream, remoteAddress, this.#events, this.#reading);
    this.#open.add(connection);
    this.#waiting.add(connection);
    return () => {
      this.#endedByStop.add(connection);
      connection.end('closed', STOPS);
    };
  }

  #makeRoom(): boolean {
    const oldest = this.#waiting.takeOldest();
    if (oldest === undefined) return false;
    this.#open.delete(oldest);
    oldest.end('closed', 'it had not logged in, and another connection needed its place');
    return true;
  }

  #connect(connection: Connection, frame: Frame): void {
    connection.holdReading();
    const packet = decodeConnect(frame);
    if ('protocol' in packet) {
      const protocol = printable(packet.protocol, REASON_CHARACTERS_MAX);
      this.#refuse(connection, { returnCode: 1, told: sentence('other_mqtt_version', { protocol }) });
      return;
    }
    if (checkDeviceId.accepts(packet.clientId)) connection.claimedId = packet.clientId;
    this.#admission
      .decide(packet, connection.remoteAddress, () => connection.hasEnded)
      .then((admitted) => {
        if (admitted === null || connection.hasEnded) return;
        connection.writeTogether(() => {
          if ('device' in admitted) this.#admit(connection, packet, admitted.device);
          else this.#refuse(connection, admitted);
        });
      })
      .catch((error: unknown) => this.#failed(connection, error));
  }

  #refuse(connection: Connection, { returnCode, told, held }: Refused): void {
    const reason = inEnglish(told);
    const { claimedId: deviceId, remoteAddress } = connection;
    this.#records.totals.refusedLogins += 1;
    if (deviceId !== null) this.#records.loginRefused(deviceId, told, this.#now());
    this.#handler.observed({ kind: 'login_refused', deviceId, remoteAddress, reason });
    const answer = (): void => connection.endWithAnswer(connack(returnCode, false), reason);
    if (held === undefined) answer();
    else void held.then(() => (connection.hasEnded ? undefined : answer()));
  }

  #admit(connection: Connection, packet: ConnectPacket, device: LinkDevice): void {
    const { deviceId } = device;
    const { remoteAddress } = connection;
    this.#waiting.delete(connection);
    const previous = this.#current.get(deviceId);
    if (previous !== undefined) this.#replace(previous, remoteAddress);
    const absentSession = this.#absentSessions.resume(device.deviceNo, performance.now());
    const resumed = packet.isClean ? null : resumable(previous?.parts.session ?? absentSession);
    const session = resumed ?? newSession(!packet.isClean);
    const record = this.#records.of(deviceId);
    const channel = new DeviceChannel({
      connection,
      device,
      session,
      record,
      will: packet.will,
      connectedAtMs: this.#now(),
      handler: this.#handler,
      failed: (error) => this.#failed(connection, error),
    });
    this.#current.set(deviceId, channel);
    this.#channelOf.set(connection, channel);
    connection.write(connack(0, resumed !== null));
    if (previous !== undefined) this.#reportEnd(previous);
    record.connects += 1;
    this.#records.totals.logins += 1;
    if (previous !== undefined) record.takeovers += 1;
    const isTakeover = previous !== undefined || device.replacesSession === true;
    this.#handler.connected(device);
    this.#handler.observed({
      kind: 'connected',
      deviceId,
      remoteAddress,
      isTakeover,
      session: sessionType(session),
    });
    channel.announceSubscriptions();
    connection.resumeReading((frame) => channel.receive(frame), packet.keepAliveS * MS_PER_S);
  }

  /** A device that lost its link does not answer the end of its old connection; a second client does. */
  #replace({ parts: { connection, device } }: DeviceChannel, remoteAddress: string): void {
    const { deviceId } = device;
    const { remoteAddress: previousAddress } = connection;
    connection.endReplaced(replacedFrom(remoteAddress), () =>
      this.#handler.observed({ kind: 'second_client', deviceId, remoteAddress, previousAddress }),
    );
  }

  /** A fault in a message ends the connection it came from, and no other. */
  #failed(connection: Connection, error: unknown): void {
    if (connection.hasEnded) return;
    const { claimedId, remoteAddress } = connection;
    const channel = this.#channelOf.get(connection);
    const isProtocolFault = error instanceof ProtocolFault;
    this.#records.totals.faults += 1;
    const told = isProtocolFault ? error.told : sentence('message_not_taken');
    const reason = inEnglish(told);
    connection.end('closed', reason);
    const deviceId = channel?.parts.device.deviceId ?? claimedId;
    this.#handler.observed({
      kind: 'fault',
      deviceId,
      remoteAddress,
      reason,
      ...(isProtocolFault ? {} : { cause: error }),
    });
    if (channel === undefined) return;
    const { device, record } = channel.parts;
    record.faults += 1;
    record.lastFault = { atMs: this.#now(), told };
    if (!isProtocolFault) return;
    this.#admission.closedForFault(device.deviceId);
    const { topic, payloadExcerpt } = error;
    // The rejection has a cause like one of readings, whatever the device was sending: the connection ends before its next readings.
    const cause = { code: 'other', text: reason } as const;
    this.#handler.rejected(device, { topic, reason, payloadExcerpt, cause }).catch(ignoreAfterClose);
  }

  #closed(connection: Connection): void {
    this.#open.delete(connection);
    this.#waiting.delete(connection);
    const channel = this.#channelOf.get(connection);
    if (channel === undefined) return;
    const { device, session, will } = channel.parts;
    if (this.#current.get(device.deviceId) !== channel) return;
    this.#current.delete(device.deviceId);
    this.#absentSessions.keep(device.deviceNo, session, performance.now());
    if (this.#silenceCheck === null || this.#endedByStop.has(connection)) return;
    if (will !== null && connection.endedBy.ending !== 'clean') {
      deliver(this.#handler, device, will.topic, will.payload).catch(ignoreAfterClose);
    }
    this.#reportEnd(channel);
  }

  #reportEnd(channel: DeviceChannel): void {
    const { device, record, connection } = channel.parts;
    const { ending, detail } = connection.endedBy;
    record.lastDisconnect = { atMs: this.#now(), ending, detail };
    this.#handler.disconnected(device, ending);
    const { deviceId } = device;
    const { remoteAddress } = connection;
    this.#handler.observed({ kind: 'disconnected', deviceId, remoteAddress, ending, detail });
  }
}

const replacedFrom = (remoteAddress: string): string => `the device connected again from ${remoteAddress}`;

/** A message of a connection that has ended could not be stored, and no peer is left to answer. */
const ignoreAfterClose = (): void => undefined;

interface BrokerOptions extends SharedReadingOptions {
  /** Checks logins instead of the handler, if the broker is one of several. */
  readonly logIn?: LinkHandler['authenticate'];
  readonly limits?: LinkLimits;
  /** The certificate of the encrypted port. */
  readonly certificate?: CertificatePair | null;
  /** The clock for the expiry of commands. */
  readonly now?: () => number;
  /** True if several threads accept connections on the same port. */
  readonly sharesPorts?: boolean;
}

type LinkState = Pick<LinkStatistics, 'connectedSinceMs' | 'session' | 'remoteAddress' | 'unacknowledged'>;

/** The part of the statistics that describes the current connection, if there is one. */
const stateOf = (channel: DeviceChannel | undefined): LinkState => ({
  connectedSinceMs: channel?.parts.connectedAtMs ?? null,
  session: channel === undefined ? null : sessionType(channel.parts.session),
  remoteAddress: channel?.parts.connection.remoteAddress ?? null,
  unacknowledged: channel?.unacknowledged ?? 0,
});

const sessionType = ({ isPersistent }: Session): SessionType => (isPersistent ? 'persistent' : 'clean');

/**
 * The connections that have not logged in, by address. If there is no room for another connection, the oldest one of the
 * address with most of them is closed, so that nobody keeps devices out with connections that send nothing. A limit for each
 * address would instead keep out devices that return together behind one router.
 */
class WaitingConnections {
  readonly #byAddress = new Map<string, Set<Connection>>();

  add(connection: Connection): void {
    const { remoteAddress } = connection;
    const ofAddress = this.#byAddress.get(remoteAddress) ?? new Set();
    this.#byAddress.set(remoteAddress, ofAddress.add(connection));
  }

  delete(connection: Connection): void {
    const { remoteAddress } = connection;
    const ofAddress = this.#byAddress.get(remoteAddress);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#byAddress.delete(remoteAddress);
  }

  /** Removes and returns the connection to close; `undefined` if all have logged in. */
  takeOldest(): Connection | undefined {
    let most: Set<Connection> | undefined;
    for (const ofAddress of this.#byAddress.values()) {
      if (most === undefined || ofAddress.size > most.size) most = ofAddress;
    }
    const [oldest] = most ?? [];
    if (oldest !== undefined) this.delete(oldest);
    return oldest;
  }
}
