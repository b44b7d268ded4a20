import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import type { Reading } from '../physics/reading.ts';

/** Readings a device keeps while it cannot send, about a day at the usual pace; then the oldest are given up. */
const OUTBOX_LENGTH_MAX = 10_000;

/** A short queue goes out reading by reading; a long one is the sign of an outage, and is caught up in arrays. */
const SINGLES_MAX = 10;

/** What a device has measured and not yet sent. */
export class Outbox<R extends Reading> {
  readonly #readings: R[] = [];

  add(readings: readonly R[]): void {
    this.#readings.push(...readings);
    this.#readings.splice(0, Math.max(0, this.#readings.length - OUTBOX_LENGTH_MAX));
  }

  /** Takes the next message out; nothing when all is sent. */
  take(): R | readonly R[] | undefined {
    return this.#readings.length > SINGLES_MAX
      ? this.#readings.splice(0, READINGS_PER_MESSAGE_MAX)
      : this.#readings.shift();
  }
}
