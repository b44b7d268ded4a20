import { SECOND_MS } from '@granary/contract/time';

/** Times and bounds of the connections to an external broker; tests pass shorter times. */
export interface ExternalLimits {
  /** A connection attempt that has no answer after this time has failed. */
  readonly connectTimeoutMs: number;
  /** The wait before the next attempt; it doubles with each failure up to the maximum. */
  readonly reconnectMs: number;
  readonly reconnectMsMax: number;
  /** The keep-alive. The broker and the service end a connection that is silent for 1.5 times as long. */
  readonly keepAliveS: number;
  /** How long a sender waits for the broker to acknowledge a message. */
  readonly acknowledgementMs: number;
  /** The expiry of messages that are repeated until the device answers. */
  readonly repeatedExpiryS: number;
  /** How long the start waits for a broker that cannot be reached. */
  readonly startMsMax: number;
  /** The wait before the end of a session is used, because the next session may have begun meanwhile. */
  readonly settleMs: number;
}

export const EXTERNAL_LIMITS: ExternalLimits = {
  connectTimeoutMs: 5 * SECOND_MS,
  reconnectMs: 100,
  // The maximum is short because a stop waits for the connection.
  reconnectMsMax: 400,
  keepAliveS: 5,
  acknowledgementMs: SECOND_MS,
  repeatedExpiryS: 5,
  startMsMax: 30 * SECOND_MS,
  settleMs: 250,
};

/** The broker sends no further message while this many wait to be stored. */
export const RECEIVE_MAX = 1_000;

/** MQTT's number for a session that never expires. */
export const NEVER_EXPIRES_S = 0xff_ff_ff_ff;

/** The limit of devices whose connection state is kept in memory; a further one replaces the oldest. */
export const CONNECTED_DEVICES_MAX = 1_000_000;

/** The limit of messages that wait because the broker allows no more unacknowledged ones. */
export const WAITING_MAX = 10_000;
