import { isIPv6 } from 'node:net';
import { MINUTE_MS } from '@granary/contract/time';

/** A name without a failure for this long has no delay any more. */
const FAILURES_EXPIRE_MS = 5 * MINUTE_MS;
/** More doublings would exceed the maximum delay. */
const DOUBLINGS_MAX = 20;

export interface LoginDelayLimits {
  readonly firstDelayMs: number;
  readonly delayMsMax: number;
  readonly namesMax: number;
}

/** Each failure of an address, or of a device, doubles the delay of its next one; after a time without failures there is none. */
export class LoginDelay {
  readonly #limits: LoginDelayLimits;
  /** Ordered by the last failure. */
  readonly #failures = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(limits: LoginDelayLimits) {
    this.#limits = limits;
  }

  delayMs(name: string, nowMs: number): number {
    const failed = this.#failures.get(name);
    if (failed === undefined || nowMs - failed.atMs > FAILURES_EXPIRE_MS) return 0;
    const doublings = Math.min(failed.count - 1, DOUBLINGS_MAX);
    return Math.min(this.#limits.firstDelayMs * 2 ** doublings, this.#limits.delayMsMax);
  }

  failed(name: string, nowMs: number): void {
    const before = this.#failures.get(name);
    const isRecent = before !== undefined && nowMs - before.atMs <= FAILURES_EXPIRE_MS;
    this.#failures.delete(name);
    this.#failures.set(name, { count: isRecent ? before.count + 1 : 1, atMs: nowMs });
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size > this.#limits.namesMax) this.#failures.delete(oldest);
  }
}

/** One customer usually has 2^64 IPv6 addresses, so all addresses with the same first half share one delay. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - tail.length) }, () => '0');
  return [...groups, ...(after === undefined ? [] : zeros), ...tail].slice(0, 4).join(':');
}
