import { SECOND_MS } from '@granary/contract/time';
import {
  REJECTED_BYTES_BURST,
  REJECTED_BYTES_PER_S,
  REJECTION_OVERHEAD_BYTES,
  SLOWED_MS_MAX,
} from '../limits.ts';

const DEBT_BYTES_MAX = -(SLOWED_MS_MAX / SECOND_MS) * REJECTED_BYTES_PER_S;

/** The rejected bytes that a device may still send; kept per device, so that reconnecting does not renew it. */
export class RejectionAllowance {
  #leftBytes = REJECTED_BYTES_BURST;
  #refilledAtMs: number;

  constructor(nowMs: number) {
    this.#refilledAtMs = nowMs;
  }

  /** Subtracts a rejected message and returns how long its sender must not be read. */
  spend(payloadBytes: number, nowMs: number): number {
    const refill = ((nowMs - this.#refilledAtMs) / SECOND_MS) * REJECTED_BYTES_PER_S;
    this.#refilledAtMs = nowMs;
    this.#leftBytes = Math.min(REJECTED_BYTES_BURST, this.#leftBytes + Math.max(0, refill));
    this.#leftBytes = Math.max(DEBT_BYTES_MAX, this.#leftBytes - payloadBytes - REJECTION_OVERHEAD_BYTES);
    if (this.#leftBytes >= 0) return 0;
    return (-this.#leftBytes / REJECTED_BYTES_PER_S) * SECOND_MS;
  }
}
