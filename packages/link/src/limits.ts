import { LINK_PAYLOAD_BYTES_MAX } from '@granary/contract/link/messages';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';

/** Limits on what an unauthenticated peer can make the service keep; tests pass smaller ones. */
export interface LinkLimits {
  /** The limit of connections. A further one replaces a connection that has not logged in; if all have logged in, it is closed at once. */
  readonly connectionsMax: number;
  /** A connection that has not sent its CONNECT after this time is closed. */
  readonly connectTimeoutMs: number;
  /** How long a CONNECT is held while storage cannot check the secret; after that it is refused with return code 3. */
  readonly storageWaitMsMax: number;
  readonly storageRetryMs: number;
  /** How long the second refusal of a wrong secret to the same address is held; the time doubles with each further one. */
  readonly loginDelayMs: number;
  readonly loginDelayMsMax: number;
  /** The limit of persistent sessions of devices that are not connected; a further one replaces the oldest. */
  readonly absentSessionsMax: number;
  readonly absentSessionMsMax: number;
  /**
   * The limit of bytes, over all connections together, that wait to be stored. With many connections each gets less than its
   * maximum, so that the waiting messages can be written in a fraction of a second and do not fill the memory.
   */
  readonly inFlightBytesTotal: number;
}

export const LINK_LIMITS: LinkLimits = {
  connectionsMax: 10_000,
  connectTimeoutMs: 10 * SECOND_MS,
  storageWaitMsMax: 20 * SECOND_MS,
  storageRetryMs: 500,
  loginDelayMs: 250,
  loginDelayMsMax: 5 * SECOND_MS,
  absentSessionsMax: 10_000,
  absentSessionMsMax: DAY_MS,
  inFlightBytesTotal: 2 * 1024 * 1024,
};

/** TCP keep-alive detects a peer that disappeared without closing its connection, also when it uses no MQTT keep-alive. */
export const TCP_KEEP_ALIVE_MS = 60_000;

/** How often connections are checked against their keep-alive. */
export const KEEP_ALIVE_CHECK_MS = 500;

/** The largest payload plus the topic and the packet identifier in front of it. */
export const PUBLISH_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX + 256;

/** Every other packet is small, including a CONNECT with a last will. */
export const CONTROL_BYTES_MAX = 4 * 1024;

/** The limit for each connection: reading pauses while this many bytes wait to be stored. */
export const IN_FLIGHT_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX;

/** Each connection may have at least this many bytes: some small messages, or one of any size. */
export const IN_FLIGHT_BYTES_MIN = 2 * 1024;

/** Added for each message that waits to be stored, so that empty messages count too. */
export const MESSAGE_OVERHEAD_BYTES = 256;

/** The limit of packets that are read from one connection before the other connections are read. */
export const PACKETS_PER_TURN_MAX = 64;

/**
 * The rejected bytes that a device may send in one burst and per second. A device that sends more is read more slowly, so
 * that it does not delay the other devices.
 */
export const REJECTED_BYTES_BURST = 4 * 1024 * 1024;
export const REJECTED_BYTES_PER_S = 16 * 1024;
/** Reading pauses for at most this long after a rejected message, so that the end of the connection is still detected. */
export const SLOWED_MS_MAX = 10_000;
/** Added for each rejected message, because storing and logging it costs more than its payload. */
export const REJECTION_OVERHEAD_BYTES = 1024;

/** A device with more unacknowledged messages than this is disconnected. */
export const UNACKNOWLEDGED_MAX = 100;

/** A device that leaves more bytes unread than this is disconnected. */
export const UNREAD_BYTES_MAX = 1024 * 1024;

/** A device that reads nothing for this long is disconnected, also when it uses no keep-alive. */
export const UNREAD_MS_MAX = 60_000;

/** A device with more unreleased QoS 2 messages than this is disconnected. */
export const UNRELEASED_MAX = 1_000;

/** The limit of refused logins whose answer is held, in total and for one address; a further one is answered at once. */
export const HELD_REFUSALS_MAX = 512;
export const HELD_REFUSALS_PER_ADDRESS_MAX = 32;

/** The limit of devices and addresses whose failed logins are counted; a further one replaces the oldest. */
export const REFUSED_LOGINS_MAX = 10_000;

/** The limit of devices whose counters are kept; a further one replaces the oldest. */
export const LINK_RECORDS_MAX = 100_000;

export const EXCERPT_CHARACTERS_MAX = 200;
export const REASON_CHARACTERS_MAX = 500;
