import { BlockList, isIP } from 'node:net';

export type Subnet = readonly [address: string, prefix: number];

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** A list for each family, because Node checks IPv4 addresses against IPv6 networks in their mapped form. */
export class AddressList {
  readonly #ipv4 = new BlockList();
  readonly #ipv6 = new BlockList();

  constructor(subnets: readonly Subnet[]) {
    for (const [address, prefix] of subnets) {
      const family = familyOf(address);
      (family === 'ipv4' ? this.#ipv4 : this.#ipv6).addSubnet(address, prefix, family);
    }
  }

  /** The mapped form of an IPv4 address is in the networks of that address, too. */
  has(address: string): boolean {
    const family = familyOf(address);
    return this.#ipv4.check(address, family) || (family === 'ipv6' && this.#ipv6.check(address, family));
  }
}

/** An address, or a network as in 10.0.0.0/8. */
export function readSubnet(text: string): Subnet | null {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return null;
  const bits = version === 4 ? 32 : 128;
  if (prefix === undefined) return [address, bits];
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? [address, Number(prefix)] : null;
}
