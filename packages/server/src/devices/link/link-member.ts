import type { BrokerAddresses, DeviceLink, LinkTotals } from '@granary/link/port';
import type { ThreadFigures } from './protocol.ts';

type OfEveryLink =
  | 'stop'
  | 'useCertificate'
  | 'sendCommand'
  | 'sendConfiguration'
  | 'isReachable'
  | 'isConnected'
  | 'linkStatistics'
  | 'disconnect'
  | 'isListening';

/** A part of the device link: the broker of this thread, or that of another one. A device has its session on one member. */
export interface LinkMember extends Pick<DeviceLink, OfEveryLink> {
  /** Throws the error of the operating system, with its `code`, when an address is not available. */
  start(addresses: BrokerAddresses): Promise<BrokerAddresses>;
  /**
   * Ends the session of a device that has logged in on another member, and resolves when its end is reported; `true` if there
   * was one.
   */
  release(deviceId: string, remoteAddress: string): Promise<boolean>;
  forgetSensors(deviceId: string): void;
  /** `ingest` and `writes` are `null` for a member that has no pipeline of its own. */
  figures(): Promise<MemberFigures>;
  readonly connectedCount: number;
}

export interface MemberFigures {
  readonly openCount: number;
  readonly totals: LinkTotals;
  readonly ingest: ThreadFigures['ingest'] | null;
  readonly writes: ThreadFigures['writes'] | null;
}
