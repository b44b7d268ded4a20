import { READINGS_PER_MESSAGE_MAX } from '@granary/contract/telemetry/telemetry';
import type { Reading } from '../physics/reading.ts';

/** Readings that a device keeps while it cannot send, about a day at the usual interval; beyond that the oldest are dropped. */
const OUTBOX_LENGTH_MAX = 10_000;

/** A short queue is sent reading by reading; a long one follows an outage and is sent in arrays. */
const SINGLES_MAX = 10;

/** The readings that are not sent yet. */
export class Outbox<R extends Reading> {
  readonly #readings: R[] = [];

  add(readings: readonly R[]): void {
    this.#readings.push(...readings);
    this.#readings.splice(0, Math.max(0, this.#readings.length - OUTBOX_LENGTH_MAX));
  }

  /** Removes and returns the next message; `undefined` when the queue is empty. */
  take(): R | readonly R[] | undefined {
    return this.#readings.length > SINGLES_MAX
      ? this.#readings.splice(0, READINGS_PER_MESSAGE_MAX)
      : this.#readings.shift();
  }
}
