import type { DeviceKind } from '@granary/contract/channels';
import type { FieldAck, FieldProgress } from '@granary/contract/field-link';
import type { DeviceState, OperationAck, OperationProgress } from '@granary/contract/link';
import type { DeviceTelemetry } from '@granary/contract/telemetry';

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
 * How a connection ended: the device said goodbye, it vanished, it connected anew while the old connection still stood,
 * or the link closed it.
 */
export type Ending = 'clean' | 'lost' | 'replaced' | 'closed';

/** What the service gives to the link. */
export interface LinkHandler {
  /** `null` for a wrong secret and for an unknown device alike. Rejecting means that nobody can tell right now. */
  authenticate(deviceId: string, secret: string): Promise<LinkDevice | null>;

  /** Resolving means on disk, and only then the device hears so. Rejecting closes the connection: the device sends again. */
  received(device: LinkDevice, message: UplinkMessage): Promise<void>;

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

  /** Ends the device's connection, if there is one; for when its secret has changed. */
  disconnect(deviceId: string): void;

  readonly isListening: boolean;
  readonly connectedCount: number;
}
