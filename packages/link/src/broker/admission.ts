import { isIPv6 } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { BoundedMap } from '@granary/common/bounded-map';
import { type Backoff, backoffMs } from '@granary/common/patience';
import { sentence } from '@granary/contract/sentences/codes';
import type { LinkFault } from '@granary/contract/sentences/faults';
import { MINUTE_MS } from '@granary/contract/time';
import {
  HELD_REFUSALS_MAX,
  HELD_REFUSALS_PER_ADDRESS_MAX,
  type LinkLimits,
  REFUSED_LOGINS_MAX,
} from '../limits.ts';
import type { ConnectPacket } from '../mqtt/packet-decoder.ts';
import type { ConnectReturnCode } from '../mqtt/packet-encoder.ts';
import type { LinkDevice, LinkHandler } from '../port.ts';
import { isDeviceLogin, ownSubject } from '../topics.ts';

/** A name without a failure for this long has no delay any more. */
const FAILURES_EXPIRE_MS = 5 * MINUTE_MS;

export interface Refused {
  readonly returnCode: ConnectReturnCode;
  readonly told: LinkFault;
  /** The answer is sent when this promise resolves. */
  readonly held?: Promise<void>;
}

export type Admitted = { readonly device: LinkDevice } | Refused;

/** Decides which devices may connect. */
export class Admission {
  readonly #logIn: LinkHandler['authenticate'];
  readonly #limits: LinkLimits;
  readonly #delay: LoginDelay;
  readonly #delayAfterFaults: LoginDelay;
  readonly #heldOf = new Map<string, number>();
  #held = 0;

  constructor(logIn: LinkHandler['authenticate'], limits: LinkLimits) {
    this.#logIn = logIn;
    this.#limits = limits;
    const delays = { firstMs: limits.loginDelayMs, longestMs: limits.loginDelayMsMax };
    this.#delay = new LoginDelay(delays);
    this.#delayAfterFaults = new LoginDelay(delays);
  }

  /** A device that is disconnected for protocol faults waits longer for each further login, so that it does not reconnect in a loop. */
  closedForFault(deviceId: string): void {
    this.#delayAfterFaults.failed(deviceId, performance.now());
  }

  /** Decides about a login; returns `null` if the peer has disconnected before the decision. */
  async decide(
    packet: ConnectPacket,
    remoteAddress: string,
    isGone: () => boolean,
  ): Promise<Admitted | null> {
    const { clientId, username, password, will } = packet;
    if (password === null || !isDeviceLogin(clientId, username)) {
      return refused(5, sentence('login_without_id'));
    }
    if (will !== null && ownSubject(username, will.topic) !== 'status') {
      return refused(5, sentence('will_on_other_topic'));
    }
    const delayMs = this.#delayAfterFaults.delayMs(username, performance.now());
    if (delayMs > 0) await pause(delayMs);
    const device = await this.#authenticate(username, password.toString(), remoteAddress, isGone);
    if (device === 'gone') return null;
    if (device === 'unavailable') return refused(3, sentence('storage_silent_at_login'));
    if (device !== null) return { device };
    return { ...refused(4, sentence('wrong_login')), held: this.#holdRefusal(remoteAddress) };
  }

  /**
   * Slows down a device that logs in again and again with a wrong secret. The secret is checked first, so that no other
   * device of the address waits.
   */
  async #holdRefusal(remoteAddress: string): Promise<void> {
    const nowMs = performance.now();
    const network = networkOf(remoteAddress);
    const delayMs = this.#delay.delayMs(network, nowMs);
    this.#delay.failed(network, nowMs);
    const ofAddress = this.#heldOf.get(network) ?? 0;
    if (delayMs === 0 || this.#held >= HELD_REFUSALS_MAX || ofAddress >= HELD_REFUSALS_PER_ADDRESS_MAX)
      return;
    this.#held++;
    this.#heldOf.set(network, ofAddress + 1);
    await pause(delayMs);
    this.#held--;
    const left = (this.#heldOf.get(network) ?? 1) - 1;
    if (left === 0) this.#heldOf.delete(network);
    else this.#heldOf.set(network, left);
  }

  /** Holds the CONNECT while storage does not answer, because some clients never reconnect after return code 3. */
  async #authenticate(
    deviceId: string,
    secret: string,
    remoteAddress: string,
    isGone: () => boolean,
  ): Promise<LinkDevice | null | 'gone' | 'unavailable'> {
    const { storageWaitMsMax, storageRetryMs } = this.#limits;
    const startedAtMs = performance.now();
    while (!isGone()) {
      try {
        const device = await this.#logIn(deviceId, secret, remoteAddress);
        return isGone() ? 'gone' : device;
      } catch {
        if (performance.now() - startedAtMs + storageRetryMs > storageWaitMsMax) return 'unavailable';
        await pause(storageRetryMs);
      }
    }
    return 'gone';
  }
}

const refused = (returnCode: ConnectReturnCode, told: LinkFault): Refused => ({ returnCode, told });

/** The timer must not keep a stopping process alive. */
const pause = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false });

/** Each failure of an address, or of a device, doubles the delay of its next one; after a time without failures there is none. */
export class LoginDelay {
  readonly #delays: Backoff;
  readonly #failures: BoundedMap<string, { readonly count: number; readonly atMs: number }>;

  constructor(delays: Backoff, namesMax = REFUSED_LOGINS_MAX) {
    this.#delays = delays;
    this.#failures = new BoundedMap(namesMax);
  }

  delayMs(name: string, nowMs: number): number {
    const failed = this.#failures.get(name);
    if (failed === undefined || nowMs - failed.atMs > FAILURES_EXPIRE_MS) return 0;
    return backoffMs(failed.count, this.#delays);
  }

  failed(name: string, nowMs: number): void {
    const before = this.#failures.get(name);
    const isRecent = before !== undefined && nowMs - before.atMs <= FAILURES_EXPIRE_MS;
    this.#failures.set(name, { count: isRecent ? before.count + 1 : 1, atMs: nowMs });
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
