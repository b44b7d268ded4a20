import type { FieldAck, FieldProgress } from '@granary/contract/link/field-messages';
import type { DeviceState, OperationAck, OperationProgress } from '@granary/contract/link/messages';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import type { DeviceTelemetry } from '@granary/contract/telemetry/telemetry';

export interface LinkDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly kind: DeviceKind;
  /** What a silo holds when full, as it was when the device connected; other devices have none. */
  readonly capacityKg?: number;
}

/** What a device says, decoded and checked. */
export type UplinkMessage =
  | { readonly subject: 'telemetry'; readonly telemetry: DeviceTelemetry }
  | { readonly subject: 'status'; readonly state: DeviceState }
  | { readonly subject: 'ack'; readonly kind: 'silo'; readonly ack: OperationAck }
  | { readonly subject: 'ack'; readonly kind: 'field'; readonly ack: FieldAck }
  | { readonly subject: 'progress'; readonly kind: 'silo'; readonly progress: OperationProgress }
  | { readonly subject: 'progress'; readonly kind: 'field'; readonly progress: FieldProgress };

/** What a device sent and nobody can use. Every text is printable and bounded, so it can be stored and shown as it is. */
export interface LinkRejection {
  readonly topic: string;
  readonly reason: string;
  readonly payloadExcerpt: string;
}

/**
 * How a connection ended: the device sent DISCONNECT, its connection was lost, it was silent for longer than its
 * keep-alive allows, it connected anew while the old connection still stood, or the link closed it.
 */
export type Ending = 'clean' | 'lost' | 'timed_out' | 'replaced' | 'closed';

export type SessionType = 'clean' | 'persistent';

interface LinkPeer {
  /** As the peer claims before its login; `null` while it has not named any that could be one. */
  readonly deviceId: string | null;
  readonly remoteAddress: string;
}

/** What happens on the link, for the log. No text holds a secret, and each is printable and bounded. */
export type LinkEvent = LinkPeer &
  (
    | { readonly kind: 'connected'; readonly session: SessionType; readonly isTakeover: boolean }
    | { readonly kind: 'disconnected'; readonly ending: Ending; readonly detail: string }
    | { readonly kind: 'login_refused'; readonly reason: string }
    | { readonly kind: 'subscription_refused'; readonly reason: string }
    | { readonly kind: 'fault'; readonly reason: string; readonly cause?: unknown }
  );

interface Dated {
  readonly atMs: number;
}

/** The link of one device, as seen since the start of the service. */
export interface LinkVitals {
  /** `null` for what only a connected device has. */
  readonly connectedSinceMs: number | null;
  readonly session: SessionType | null;
  readonly remoteAddress: string | null;
  readonly isSubscribed: boolean;
  /** Messages for the device that it has not acknowledged on this connection. */
  readonly unacknowledged: number;
  readonly connects: number;
  readonly takeovers: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  readonly droppedExpired: number;
  readonly droppedNotConnected: number;
  readonly refusedLogins: number;
  readonly lastRefusal: (Dated & { readonly reason: string }) | null;
  readonly faults: number;
  readonly lastFault: (Dated & { readonly reason: string }) | null;
  readonly lastDisconnect: (Dated & { readonly ending: Ending; readonly detail: string }) | null;
}

/** `rejected`: the message, or some of it, could not be used. */
export type Reception = 'used' | 'rejected';

/** What the service gives to the link. */
export interface LinkHandler {
  /**
   * `null` for a wrong secret and for an unknown device alike. Rejecting means that nobody can tell right now: the
   * CONNECT is held and this is called again.
   */
  authenticate(deviceId: string, secret: string): Promise<LinkDevice | null>;

  /**
   * Resolving means on disk, and only then the message is acknowledged. Rejecting is a fault: it is logged and closes the
   * connection, and the device sends again.
   */
  received(device: LinkDevice, message: UplinkMessage): Promise<Reception>;

  /**
   * A message that will never be usable. Once stored it is acknowledged like any other, because MQTT 3.1.1 has no way to
   * say no and the device would send it for ever.
   */
  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void>;

  /** Every `connected` is followed by one `disconnected`; of a takeover the old connection's end is told first. */
  connected(device: LinkDevice): void;

  /** Not called when the link itself stops: that says nothing about the device. */
  disconnected(device: LinkDevice, ending: Ending): void;

  /** The device has connected and is subscribed to its commands: what it still has to be told can be sent now. */
  reachable(device: LinkDevice): void;

  /** Called once per connection, when the device is subscribed to its configuration; answered by `sendConfiguration`. */
  awaitsConfiguration(device: LinkDevice): void;

  observed(event: LinkEvent): void;
}

/** What became of a message for a device. Only `sent` has been written to a live connection. */
export type Delivery = 'sent' | 'not_connected' | 'not_subscribed' | 'expired' | 'in_flight';

export interface CommandOptions {
  /** Not sent at or after this time; `null` for messages that stay valid (stop, emergency stop, report). */
  readonly expiresAtMs: number | null;

  /**
   * Of the messages with this key at most one is unacknowledged on a connection; a further one answers `in_flight`.
   * `null`: no limit.
   */
  readonly repeatKey: string | null;
}

export interface LinkConfiguration {
  /** Grows with each change; on one connection none is sent twice, and no older one after a newer one. */
  readonly version: number;
}

export interface DeviceLink {
  /** Throws what the operating system says, `error.code` included, when the address cannot be had. */
  start(): Promise<{ readonly host: string; readonly port: number }>;
  stop(): Promise<void>;

  /** Written to the device's connection before this returns, or not at all: nothing is queued and nothing is redelivered. */
  sendCommand(deviceId: string, command: object, options: CommandOptions): Delivery;

  /** To a connected device that is subscribed to its configuration; `in_flight` if it has this version or a newer one. */
  sendConfiguration(deviceId: string, configuration: LinkConfiguration): Delivery;

  /** A live MQTT session that is subscribed to its commands. */
  isReachable(deviceId: string): boolean;

  /** A live MQTT session, subscribed or not. */
  isConnected(deviceId: string): boolean;

  linkVitals(deviceId: string): LinkVitals;

  /** Ends the device's connection, if there is one; for when its secret has changed. */
  disconnect(deviceId: string): void;

  readonly isListening: boolean;
  readonly connectedCount: number;
}
