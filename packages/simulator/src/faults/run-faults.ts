import { SECOND_MS } from '@granary/contract/time';

/** How long a device with the fault `late-ack` sends no report about a job it has begun. */
export const SILENCE_MS = 15 * SECOND_MS;

/** Long enough for the service to receive the report that the job has begun. */
const LINK_LOST_AFTER_MS = 2 * SECOND_MS;

/** `runMs` is `null` while the device is idle. */
export const linkIsLostBy = (runMs: number | null): boolean => runMs !== null && runMs >= LINK_LOST_AFTER_MS;
