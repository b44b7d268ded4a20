import { BoundedMap } from '@granary/common/bounded-map';
import type { LinkFault } from '@granary/contract/sentences/faults';
import { SECOND_MS } from '@granary/contract/time';
import {
  LINK_RECORDS_MAX,
  REFUSED_LOGINS_MAX,
  REJECTED_BYTES_BURST,
  REJECTED_BYTES_PER_S,
  REJECTION_OVERHEAD_BYTES,
  SLOWED_MS_MAX,
} from '../limits.ts';
import type { Delivery, LinkStatistics, LinkTotals } from '../port.ts';

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

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The counters of one device, which are kept while it is disconnected, too. */
export type LinkRecord = Writable<
  Pick<
    LinkStatistics,
    | 'connects'
    | 'takeovers'
    | 'messagesIn'
    | 'messagesOut'
    | 'droppedExpired'
    | 'droppedNotConnected'
    | 'faults'
    | 'lastFault'
    | 'lastDisconnect'
  >
> & { readonly rejectionAllowance: RejectionAllowance; readonly totals: Writable<LinkTotals> };

interface RefusedLogins {
  readonly count: number;
  readonly atMs: number;
  readonly told: LinkFault;
}

/** The counters of all devices since the start of the service, in memory. */
export class LinkRecords {
  /** The counters of all devices, including those whose record was displaced. */
  readonly totals: Writable<LinkTotals> = newTotals();
  readonly #records = new BoundedMap<string, LinkRecord>(LINK_RECORDS_MAX);
  /**
   * These counters are separate from the records, because the ids are not authenticated: an unknown peer must not displace the
   * record of a device.
   */
  readonly #refused = new BoundedMap<string, RefusedLogins>(REFUSED_LOGINS_MAX);

  of(deviceId: string): LinkRecord {
    const known = this.#records.get(deviceId);
    if (known !== undefined) return known;
    const record = newRecord(this.totals);
    this.#records.set(deviceId, record);
    return record;
  }

  statisticsOf(deviceId: string) {
    const refused = this.#refused.get(deviceId);
    return {
      ...(this.#records.get(deviceId) ?? newRecord(this.totals)),
      refusedLogins: refused?.count ?? 0,
      lastRefusal: refused === undefined ? null : { atMs: refused.atMs, told: refused.told },
    };
  }

  countUnsent(deviceId: string, delivery: Delivery): void {
    if (delivery === 'expired') this.of(deviceId).droppedExpired += 1;
    if (delivery === 'not_connected' || delivery === 'not_subscribed') {
      this.of(deviceId).droppedNotConnected += 1;
    }
  }

  loginRefused(deviceId: string, told: LinkFault, atMs: number): void {
    const count = (this.#refused.get(deviceId)?.count ?? 0) + 1;
    this.#refused.set(deviceId, { count, atMs, told });
  }
}

const newTotals = (): LinkTotals => ({
  logins: 0,
  refusedLogins: 0,
  messagesIn: 0,
  messagesOut: 0,
  faults: 0,
});

const newRecord = (totals: Writable<LinkTotals>): LinkRecord => ({
  totals,
  connects: 0,
  takeovers: 0,
  messagesIn: 0,
  messagesOut: 0,
  droppedExpired: 0,
  droppedNotConnected: 0,
  faults: 0,
  lastFault: null,
  lastDisconnect: null,
  rejectionAllowance: new RejectionAllowance(performance.now()),
});
