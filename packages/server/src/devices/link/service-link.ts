import type { EmbeddedBroker } from '@granary/link/broker/broker';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  DeviceLink,
  LinkConfiguration,
  LinkStatistics,
  LinkTotals,
} from '@granary/link/port';
import type { DeviceAccess } from '../broker-access/device-access.ts';
import type { ThreadFigures } from './thread-protocol.ts';

/** The device link as the service uses it, with its own broker or an external one. */
export interface ServiceLink extends DeviceLink {
  forgetSensors(deviceId: string): void;
  /** Gives an external broker the secrets of devices. */
  readonly access: DeviceAccess;
  memberFigures(): Promise<MemberFigures[]>;
}

/** `ingest` and `writes` are `null` for a member that has no pipeline of its own. */
export interface MemberFigures {
  readonly openCount: number;
  readonly totals: LinkTotals;
  readonly ingest: ThreadFigures['ingest'] | null;
  readonly writes: ThreadFigures['writes'];
}

type OfBroker =
  | 'stop'
  | 'useCertificate'
  | 'isReachable'
  | 'isConnected'
  | 'disconnect'
  | 'isListening'
  | 'connectedCount';

/** A part of the device link: the broker of this thread, or that of another one. A device has its session on one member. */
export interface LinkMember extends Pick<EmbeddedBroker, OfBroker> {
  sendCommand(deviceId: string, command: object, options: CommandOptions): Delivery | Promise<Delivery>;
  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void;
  linkStatistics(deviceId: string): LinkStatistics | Promise<LinkStatistics>;
  /** Ends the session of a device that has logged in on another member; `true` when there was one and its end is reported. */
  release(deviceId: string, remoteAddress: string): boolean | Promise<boolean>;
}

/** The part of the device link in another thread. */
export interface ThreadMember extends LinkMember {
  /** Throws the error of the operating system, with its `code`, when an address is not available. */
  start(addresses: BrokerAddresses): Promise<BrokerAddresses>;
  forgetSensors(deviceId: string): void;
  figures(): Promise<MemberFigures>;
}
