import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { AddressList, type Subnet } from '../../process/address-list.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The network address of the caller, also behind a trusted proxy. */
    readonly address: string;
  }
}

/** Longer chains of proxies do not exist; the rest of a longer header is not read. */
const FORWARDED_CHARS_MAX = 1_000;

type Request = Pick<IncomingMessage, 'socket' | 'headers'>;

/** Finds the address of a caller. A header that names other addresses counts only if a trusted proxy has sent it. */
export class CallerAddresses {
  readonly #proxies: AddressList | null;

  constructor(trustedProxies: readonly Subnet[]) {
    this.#proxies = trustedProxies.length === 0 ? null : new AddressList(trustedProxies);
  }

  /** Gives every request its address, which is computed only when it is asked for, because most requests do not need it. */
  decorate(app: FastifyInstance): void {
    const addresses = this;
    app.decorateRequest('address', {
      getter() {
        return addresses.of(this.raw);
      },
    });
  }

  isTrustedProxy(address: string | undefined): boolean {
    return address !== undefined && this.#proxies?.has(unmapped(address)) === true;
  }

  /**
   * Each proxy appends the address that it was called from, so the last one that is not a trusted proxy is the caller; what
   * stands before it may be invented.
   */
  of({ socket, headers }: Request): string {
    let caller = socket.remoteAddress;
    if (caller === undefined) return 'unknown';
    if (!this.isTrustedProxy(caller)) return unmapped(caller);
    const forwarded = [headers['x-forwarded-for'] ?? ''].flat().join(',').slice(-FORWARDED_CHARS_MAX);
    for (const entry of forwarded.split(',').reverse()) {
      const address = withoutPort(entry.trim());
      if (isIP(address) === 0) break;
      caller = address;
      if (!this.isTrustedProxy(address)) break;
    }
    return unmapped(caller);
  }
}

/** An IPv4 address that arrives on an IPv6 socket is shown as an IPv4 address. */
const unmapped = (address: string): string => address.replace(/^::ffff:(?=\d)/i, '');

/** Removes the port from texts such as `192.0.2.1:80` and `[2001:db8::1]:80`, which some proxies write. */
const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;

/**
 * The unit of limits per address: an IPv4 address, or the 64 bit network of an IPv6 address, because one customer usually
 * has all addresses of such a network.
 */
export const callerNetwork = (remoteAddress: string | undefined): string => networkOf(remoteAddress, 32, 64);

/** The unit of guesses from places where the person has never signed in: whoever has one address of this network usually has all of them. */
export const guessingNetwork = (remoteAddress: string | undefined): string =>
  networkOf(remoteAddress, 24, 48);

/** The unit of places where people have signed in: their addresses change within it from day to day. */
export const knownNetwork = (remoteAddress: string | undefined): string => networkOf(remoteAddress, 24, 56);

/** The network of an address, by its number of first bits in whole bytes; with all 32 bits, the IPv4 address itself. */
function networkOf(remoteAddress: string | undefined, bits4: number, bits6: number): string {
  if (remoteAddress === undefined) return 'unknown';
  const mapped = remoteAddress.replace(/^::ffff:(?=\d)/i, '');
  if (isIPv4(mapped)) {
    const kept = mapped.split('.').map((byte, at) => (at * 8 < bits4 ? byte : '0'));
    return bits4 === 32 ? mapped : `${kept.join('.')}/${bits4}`;
  }
  const [head = '', tail] = (remoteAddress.split('%', 1)[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, Math.ceil(bits6 / 16));
  const last = bits6 % 16 === 0 ? 0 : 8;
  const kept = groups.map((group, at) => (last > 0 && at === groups.length - 1 ? cleared(group) : group));
  return `${kept.join(':')}::/${bits6}`;
}

/** A group of an IPv6 address with only its upper byte; the lower byte is zero. */
const cleared = (group: string): string => ((Number.parseInt(group, 16) & 0xff00) >>> 0).toString(16);
