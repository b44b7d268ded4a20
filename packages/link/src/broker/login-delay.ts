import { isIPv6 } from 'node:net';
import { MINUTE_MS } from '@granary/contract/time';

/** An address without a failed login for this long starts anew. */
const FORGIVEN_AFTER_MS = 5 * MINUTE_MS;
/** Beyond this the delay is at its maximum anyway. */
const DOUBLINGS_MAX = 20;

export interface LoginDelayLimits {
  readonly firstDelayMs: number;
  readonly delayMsMax: number;
  readonly addressesMax: number;
}

/**
 * Slows down guessing: each failed login from an address doubles the time that its next one waits. Nobody is banned, so a
 * correct device behind the same address waits at most the maximum, and its success ends the delay.
 */
export class LoginDelay {
  readonly #limits: LoginDelayLimits;
  /** In the order of the last failure. */
  readonly #failures = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(limits: LoginDelayLimits) {
    this.#limits = limits;
  }

  delayMs(address: string, nowMs: number): number {
    const failed = this.#failures.get(networkOf(address));
    if (failed === undefined || nowMs - failed.atMs > FORGIVEN_AFTER_MS) return 0;
    const doublings = Math.min(failed.count - 1, DOUBLINGS_MAX);
    return Math.min(this.#limits.firstDelayMs * 2 ** doublings, this.#limits.delayMsMax);
  }

  failed(address: string, nowMs: number): void {
    const network = networkOf(address);
    const before = this.#failures.get(network);
    const isRecent = before !== undefined && nowMs - before.atMs <= FORGIVEN_AFTER_MS;
    this.#failures.delete(network);
    this.#failures.set(network, { count: isRecent ? before.count + 1 : 1, atMs: nowMs });
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size > this.#limits.addressesMax)
      this.#failures.delete(oldest);
  }

  succeeded(address: string): void {
    this.#failures.delete(networkOf(address));
  }
}

/** One participant usually holds 2^64 addresses of IPv6, so their common half counts as one. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [before = '', after] = address.split('::');
  const groups = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - tail.length) }, () => '0');
  return [...groups, ...(after === undefined ? [] : zeros), ...tail].slice(0, 4).join(':');
}
