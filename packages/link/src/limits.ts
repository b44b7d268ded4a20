import { LINK_PAYLOAD_BYTES_MAX } from '@granary/contract/link/messages';
import { DAY_MS, SECOND_MS } from '@granary/contract/time';

/** What a stranger may make us keep, and for how long. Tests pass smaller ones. */
export interface LinkLimits {
  /** Further connections are dropped at once. */
  readonly connectionsMax: number;
  /** A connection that has not sent its CONNECT by then is closed. */
  readonly connectTimeoutMs: number;
  /** How long a CONNECT is held while storage cannot tell whether the secret is right; then it is refused with 3. */
  readonly storagePatienceMs: number;
  readonly storageRetryMs: number;
  /** The delay of a login after the first failed one from the same address; it doubles with each further failure. */
  readonly loginDelayMs: number;
  readonly loginDelayMsMax: number;
  /** Persistent sessions of devices that are not connected; the oldest is discarded for a further one. */
  readonly absentSessionsMax: number;
  readonly absentSessionMsMax: number;
}

export const LINK_LIMITS: LinkLimits = {
  connectionsMax: 10_000,
  connectTimeoutMs: 10 * SECOND_MS,
  storagePatienceMs: 20 * SECOND_MS,
  storageRetryMs: 500,
  loginDelayMs: 250,
  loginDelayMsMax: 5 * SECOND_MS,
  absentSessionsMax: 10_000,
  absentSessionMsMax: DAY_MS,
};

/** A peer that vanished without its system saying so is found out by the kernel, also when it asked for no MQTT keep-alive. */
export const TCP_KEEP_ALIVE_MS = 60_000;

/** How often connections are checked against their keep-alive. */
export const KEEP_ALIVE_CHECK_MS = 500;

/** Room for the topic and the packet identifier in front of the largest payload. */
export const PUBLISH_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX + 256;

/** Every other packet, CONNECT with its last will included, is small. */
export const CONTROL_BYTES_MAX = 4 * 1024;

/** Per connection; reading pauses while this much waits for the disk. */
export const IN_FLIGHT_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX;

/** What a waiting message costs beside its payload, so that empty ones count too. */
export const MESSAGE_OVERHEAD_BYTES = 256;

/** Packets of one connection that are read before the others have their turn. */
export const PACKETS_PER_TURN_MAX = 64;

/**
 * What a device may send that is then rejected, in bytes: so much at once and so much per second. One that sends more is
 * read that slowly, so that the other devices wait less for it.
 */
export const REJECTED_BYTES_BURST = 4 * 1024 * 1024;
export const REJECTED_BYTES_PER_S = 16 * 1024;
/** After a rejected message nothing is read for at most this long, so that the end of the connection is noticed. */
export const SLOWED_MS_MAX = 10_000;
/** What a rejected message costs beside its payload: it is stored and logged. */
export const REJECTION_OVERHEAD_BYTES = 1024;

/** Messages for a device that it has not acknowledged; one that lets more collect is disconnected. */
export const UNACKNOWLEDGED_MAX = 100;

/** Bytes that a device has not read yet; one that lets more collect is disconnected. */
export const UNREAD_BYTES_MAX = 1024 * 1024;

/** A device that reads nothing for this long is disconnected, also when it asked for no keep-alive. */
export const UNREAD_MS_MAX = 60_000;

/** QoS 2 messages of a device that it has not released; one that lets more collect is disconnected. */
export const UNRELEASED_MAX = 1_000;

/** Devices and addresses of which failures are remembered; the oldest is forgotten for a further one. */
export const REFUSED_LOGINS_MAX = 10_000;

/** Devices of which counters are kept; the oldest is forgotten for a further one. */
export const LINK_RECORDS_MAX = 100_000;

export const EXCERPT_CHARACTERS_MAX = 200;
export const REASON_CHARACTERS_MAX = 500;
