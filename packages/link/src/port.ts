import type { Duplex } from 'node:stream';
import type { RefusalCause } from '@granary/contract/devices/reception';
import type { DeviceState } from '@granary/contract/link/messages';
import type { DeviceAck, DeviceProgress } from '@granary/contract/profiles/profile';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { LinkFault } from '@granary/contract/sentences/faults';
import type { DeviceReading, DeviceTelemetry } from '@granary/contract/telemetry/telemetry';
import type { CertificatePair } from './tls.ts';

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/** The addresses to which devices connect, without and with TLS; `null` for a port that is switched off. */
export interface BrokerAddresses {
  readonly plain: BrokerAddress | null;
  readonly secure: BrokerAddress | null;
}

export interface LinkDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly profile: ProfileName;
  /** The capacity of a silo when it connected; other devices have none. */
  readonly capacityKg?: number;
  /** True if a session of the device on another part of the link was ended for this login. */
  readonly replacesSession?: boolean;
}

/** A message of a device, decoded and validated. */
export type UplinkMessage =
  | { readonly subject: 'telemetry'; readonly telemetry: DeviceTelemetry }
  | { readonly subject: 'status'; readonly state: DeviceState }
  | { readonly subject: 'ack'; readonly ack: DeviceAck }
  | { readonly subject: 'progress'; readonly progress: DeviceProgress };

/** A message that could not be used; every text is printable and bounded, so that it can be stored and shown unchanged. */
export interface LinkRejection {
  readonly topic: string;
  readonly reason: string;
  readonly payloadExcerpt: string;
  /** The reason why readings were refused; it is missing for messages without readings. */
  readonly cause?: RefusalCause;
}

/**
 * How a connection ended: the device sent DISCONNECT, its connection was lost, it was silent for longer than its
 * keep-alive allows, it connected again while the old connection was still open, or the link closed it.
 */
export type Ending = 'clean' | 'lost' | 'timed_out' | 'replaced' | 'closed';

export type SessionType = 'clean' | 'persistent';

interface LinkPeer {
  /** The client id of the peer, not authenticated before its login; `null` while it has not sent a valid one. */
  readonly deviceId: string | null;
  readonly remoteAddress: string;
}

/**
 * An event of the link for the log. Its texts are printable and bounded, and contain no secret; `session` is `null` if an
 * external broker keeps it.
 */
export type LinkEvent = LinkPeer &
  (
    | { readonly kind: 'connected'; readonly session: SessionType | null; readonly isTakeover: boolean }
    | { readonly kind: 'disconnected'; readonly ending: Ending; readonly detail: string }
    /** The client whose connection was replaced is still there; the address is `null` if only an external broker knows it. */
    | { readonly kind: 'second_client'; readonly previousAddress: string | null }
    | { readonly kind: 'login_refused'; readonly reason: string }
    | { readonly kind: 'subscription_refused'; readonly reason: string }
    | { readonly kind: 'fault'; readonly reason: string; readonly cause?: unknown }
  );

interface Dated {
  readonly atMs: number;
}

/** State and counters of one device's link since the start of the service. */
export interface LinkStatistics {
  /** `null` while the device is not connected; the same holds for `session` and `remoteAddress`. */
  readonly connectedSinceMs: number | null;
  readonly session: SessionType | null;
  readonly remoteAddress: string | null;
  readonly isSubscribed: boolean;
  /** Messages that the device has not acknowledged on this connection. */
  readonly unacknowledged: number;
  readonly connects: number;
  readonly takeovers: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  readonly droppedExpired: number;
  readonly droppedNotConnected: number;
  readonly refusedLogins: number;
  readonly lastRefusal: (Dated & { readonly told: LinkFault }) | null;
  readonly faults: number;
  readonly lastFault: (Dated & { readonly told: LinkFault }) | null;
  readonly lastDisconnect: (Dated & { readonly ending: Ending; readonly detail: string }) | null;
}

/** Counters of all devices since the start of the service. */
export interface LinkTotals {
  readonly logins: number;
  readonly refusedLogins: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  /** Connections that were closed for a fault, and failed TLS handshakes. */
  readonly faults: number;
}

export interface LinkFigures {
  /** Devices with a session; `openCount` includes connections that have not logged in. */
  readonly connectedCount: number;
  readonly openCount: number;
  readonly totals: LinkTotals;
}

/** `rejected` means that the message, or a part of it, could not be used. */
export type MessageOutcome = 'used' | 'rejected';

/** Gets the results of the messages of a connection, by their numbers. */
export interface MessageReceipts {
  /** The message is on disk. */
  stored(message: number): void;
  /** A fault: it is logged and the connection is closed, so that the device sends the message again. */
  failed(message: number, error: unknown): void;
}

/** The name of a number in a message with one reading: the time, a channel, or a declared sensor. */
export interface TelemetryField {
  readonly name: string;
  readonly isDeclared: boolean;
}

/** Takes the telemetry messages of one layout, of which the link decodes only the numbers. */
export interface UsualReadings {
  /** False when the declared sensors of the device have changed; then the layout must be given again. */
  readonly isCurrent: boolean;
  /** Returns false if the message must be decoded as any other; then nothing was done. Otherwise the receipts get the result later. */
  take(numbers: Float64Array, message: number): boolean;
}

/** Learns the layout of the messages of a connection from one that was decoded; returns `null` if such messages are not usual. */
export type TakeLayout = (fields: readonly TelemetryField[], sent: DeviceReading) => UsualReadings | null;

/** The functions of the service that the link calls. */
export interface LinkHandler {
  /**
   * Resolves with `null` for a wrong secret and for an unknown device alike. Rejects when the secret cannot be checked
   * now; the link then holds the CONNECT and calls this again. When it resolves with a device, its session begins in the
   * same turn of the event loop, unless the peer has gone.
   */
  authenticate(deviceId: string, secret: string, remoteAddress: string): Promise<LinkDevice | null>;

  /**
   * Resolves when the message is on disk; only then it is acknowledged. A rejected promise is a fault: it is logged and
   * the connection is closed, so that the device sends the message again.
   */
  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome>;

  /**
   * Is called once for a connection. The messages that are taken by a layout are accepted and stored exactly as by `received`, which
   * takes all others.
   */
  usualTelemetry?(device: LinkDevice, receipts: MessageReceipts): TakeLayout;

  /**
   * Stores a message that will never be usable. It is acknowledged like any other, because MQTT 3.1.1 cannot refuse a
   * message and the device would send it for ever.
   */
  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void>;

  /** Every `connected` is followed by one `disconnected`; in a takeover the end of the old connection is reported first. */
  connected(device: LinkDevice): void;

  /** Not called when the link itself stops, because that says nothing about the device. */
  disconnected(device: LinkDevice, ending: Ending): void;

  /** The device is connected and subscribed to its commands, so pending messages can be sent now. */
  reachable(device: LinkDevice): void;

  /** The device is connected and has given up the subscription to its commands. */
  unreachable(device: LinkDevice): void;

  /** Called once per connection, when the device is subscribed to its configuration; answered by `sendConfiguration`. */
  awaitsConfiguration(device: LinkDevice): void;

  observed(event: LinkEvent): void;

  /** True while received messages wait because the storage is not available. */
  readonly isHolding: boolean;
}

/** The result of sending a message to a device; only `sent` means that it was written to a live connection. */
export type Delivery = 'sent' | 'not_connected' | 'not_subscribed' | 'expired' | 'in_flight';

export interface CommandOptions {
  /** The message is not sent at or after this time; `null` for messages that stay valid (stop, emergency stop, report). */
  readonly expiresAtMs: number | null;

  /**
   * At most one message with this key is unacknowledged on a connection; a further one is not sent and gets `in_flight`.
   * `null` means no such limit.
   */
  readonly repeatKey: string | null;
}

export interface LinkConfiguration {
  /** Increases with each change; a connection is sent each version at most once, and never an older one after a newer one. */
  readonly version: number;
}

export interface DeviceLink {
  /** Throws the error of the operating system, with its `code`, when the address is not available. */
  start(): Promise<BrokerAddresses>;
  stop(): Promise<void>;

  /**
   * Takes over a connection that another server accepted, such as a WebSocket. The returned function ends it when that server
   * stops; the end is not reported, because it says nothing about the device.
   */
  accept(stream: Duplex, remoteAddress: string): () => void;

  /** New encrypted connections use this certificate; open ones continue. */
  useCertificate(certificate: CertificatePair): void;

  /**
   * The message is passed on before this returns, in the order of the calls. It is written to the device's live connection
   * or never: nothing is queued or redelivered. Resolves with the result and never rejects.
   */
  sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery>;

  /** Sends to a connected device that is subscribed to its configuration and does not have this version or a newer one. */
  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void;

  /** The device has a live MQTT session that is subscribed to its commands. */
  isReachable(deviceId: string): boolean;

  /** The device has a live MQTT session, subscribed or not. */
  isConnected(deviceId: string): boolean;

  linkStatistics(deviceId: string): Promise<LinkStatistics>;

  /** Ends the device's connection, if there is one; used when its secret has changed. */
  disconnect(deviceId: string): void;

  /** True if this process receives the messages of devices. */
  readonly isListening: boolean;

  /** Resolves with `ok` or with what is wrong; rejects when a part of the link does not answer. */
  health(): Promise<string>;

  figures(): Promise<LinkFigures>;
}
