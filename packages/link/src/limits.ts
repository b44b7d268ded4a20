import { LINK_PAYLOAD_BYTES_MAX } from '@granary/contract/link';

/** What a stranger may make us keep, and for how long. Tests pass smaller ones. */
export interface LinkLimits {
  /** Further connections are dropped at once. */
  readonly connectionsMax: number;
  /** A connection that has not sent its CONNECT by then is closed. */
  readonly connectTimeoutMs: number;
}

export const LINK_LIMITS: LinkLimits = { connectionsMax: 10_000, connectTimeoutMs: 10_000 };

/** A peer that vanished without its system saying so is found out by the kernel, also when it asked for no MQTT keep-alive. */
export const TCP_KEEP_ALIVE_MS = 60_000;

/** Room for the topic and the packet identifier in front of the largest payload. */
export const PUBLISH_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX + 256;

/** Every other packet, CONNECT with its last will included, is small. */
export const CONTROL_BYTES_MAX = 4 * 1024;

/** Per connection; reading pauses while this much waits for the disk. */
export const IN_FLIGHT_BYTES_MAX = LINK_PAYLOAD_BYTES_MAX;

/** What a waiting message costs beside its payload, so that empty ones count too. */
export const MESSAGE_OVERHEAD_BYTES = 256;

export const DEVICE_ID_CHARACTERS_MAX = 64;
export const EXCERPT_CHARACTERS_MAX = 200;
export const REASON_CHARACTERS_MAX = 500;
