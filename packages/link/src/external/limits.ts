import { SECOND_MS } from '@granary/contract/time';

/** Times and bounds of the connections to an external broker; tests pass shorter times. */
export interface ExternalLimits {
  /** A connection attempt that has no answer after this time has failed. */
  readonly connectTimeoutMs: number;
  /** The wait before the next attempt; it doubles with each failure up to the maximum. */
  readonly reconnectMs: number;
  readonly reconnectMsMax: number;
  /** The broker ends a connection that is silent for 1.5 times as long, and so does the service. */
  readonly keepAliveS: number;
  /** How long a sender waits for the broker to acknowledge a message. */
  readonly acknowledgementMs: number;
  /** The expiry of messages that are repeated until the device answers. */
  readonly repeatedExpiryS: number;
  /** How often a node states that it takes messages, and after which silence the others take over what it left. */
  readonly statementMs: number;
  readonly absentMs: number;
  /** How long a node that left may take to return before another one takes over what it left; plus up to as much by chance. */
  readonly takeoverMs: number;
  /** A session that was taken over has nothing left when nothing came for this long. */
  readonly drainedMs: number;
  /** A node whose storage does not answer for this long leaves its messages to the others. */
  readonly holdingMsMax: number;
  /** The end of a session is used after this time, because the next session may have begun meanwhile. */
  readonly settleMs: number;
}

export const EXTERNAL_LIMITS: ExternalLimits = {
  connectTimeoutMs: 5 * SECOND_MS,
  reconnectMs: 250,
  reconnectMsMax: 5 * SECOND_MS,
  keepAliveS: 5,
  acknowledgementMs: SECOND_MS,
  repeatedExpiryS: 5,
  statementMs: 5 * SECOND_MS,
  absentMs: 20 * SECOND_MS,
  takeoverMs: SECOND_MS,
  drainedMs: SECOND_MS,
  holdingMsMax: 5 * SECOND_MS,
  settleMs: 250,
};

/** The broker sends no further message while this many wait to be stored. */
export const RECEIVE_MAX = 1_000;

/** A broker keeps what a node left for this long; another node, or the same one, takes it long before. */
export const SESSION_EXPIRY_S = 7 * 24 * 60 * 60;

/** Devices whose known or record is kept in memory; a further one replaces the oldest. */
export const CONNECTED_DEVICES_MAX = 1_000_000;

/** Messages to the broker that wait because it allows no more unacknowledged ones. */
export const WAITING_MAX = 10_000;
