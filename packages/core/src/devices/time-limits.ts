import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';

export const STOP_RESEND_MS = SECOND_MS;

/** A device clock may be ahead of the service's by this much; readings with a later time are rejected. */
export const CLOCK_AHEAD_MS_MAX = MINUTE_MS;
