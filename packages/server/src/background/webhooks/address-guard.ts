import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { AddressList, type Subnet } from '../../process/address-list.ts';

/** Networks of the site and of the host itself; a setting can allow them. */
const PRIVATE: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  // Addresses that contain an IPv4 address, which may be a private one.
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
];

/** Addresses that no receiver has: unspecified, link-local (with the metadata services of clouds), reserved, multicast. */
const NEVER: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 96],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** The addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: Resolve = (hostname) => systemLookup(hostname, { all: true });

/** The message is shown to whoever manages the webhook, so it does not name the address. */
export class AddressRefused extends Error {
  constructor() {
    super('the address of the receiver is private or reserved');
    this.name = 'AddressRefused';
  }
}

/** Decides which addresses webhooks may reach, when they are connected to, because a name may resolve differently each time. */
export class AddressGuard {
  readonly #private: AddressList | null;
  readonly #never = new AddressList(NEVER);
  readonly #resolve: Resolve;
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(allowsPrivate: boolean, resolve: Resolve = resolveBySystem) {
    this.#private = allowsPrivate ? null : new AddressList(PRIVATE);
    this.#resolve = resolve;
  }

  accepts(address: string): boolean {
    // Otherwise the list of reserved IPv6 addresses would refuse the loopback address that a setting allows.
    if (address === '::1') return this.#private === null;
    return !this.#never.has(address) && this.#private?.has(address) !== true;
  }

  /** Whether the host of an address is a name, or a literal address that may be reached. */
  acceptsHost(hostname: string): boolean {
    const host = hostname.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 || this.accepts(host);
  }

  /** For `net.connect`: resolves a name to those of its addresses that may be reached. */
  readonly lookup: LookupFunction = (hostname, { all }, callback) => {
    this.#resolveOnce(hostname).then(
      (addresses) => {
        const accepted = addresses.filter(({ address }) => this.accepts(address));
        const [first] = accepted;
        if (first === undefined) callback(new AddressRefused(), '');
        else if (all === true) callback(null, accepted);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };

  /** Runs one look-up of a name at a time, because a name server that hangs would occupy every thread for look-ups. */
  #resolveOnce(hostname: string): Promise<readonly LookupAddress[]> {
    const running = this.#running.get(hostname);
    if (running !== undefined) return running;
    const started = this.#resolve(hostname).finally(() => this.#running.delete(hostname));
    this.#running.set(hostname, started);
    return started;
  }
}
