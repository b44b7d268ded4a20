import { SECOND_MS } from '@granary/contract/time';

/** How long a device that is slow to answer keeps silent on what it has begun. */
export const SILENCE_MS = 15 * SECOND_MS;

/** Long enough for the service to hear that it was begun. */
const LINK_LOST_AFTER_MS = 2 * SECOND_MS;

/** `null` while the device carries nothing out. */
export const linkIsLostBy = (runMs: number | null): boolean => runMs !== null && runMs >= LINK_LOST_AFTER_MS;
