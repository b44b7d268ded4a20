import { isIPv4 } from 'node:net';

/** An IPv4 address that arrives on an IPv6 socket is shown as an IPv4 address. */
export const remoteAddressOf = (remoteAddress: string | undefined): string =>
  remoteAddress?.replace(/^::ffff:(?=\d)/i, '') ?? 'unknown';

/**
 * The unit of limits per address: an IPv4 address, or the 64 bit network of an IPv6 address, because one customer usually
 * has all addresses of such a network.
 */
export function callerAddress(remoteAddress: string | undefined): string {
  if (remoteAddress === undefined) return 'unknown';
  const mapped = remoteAddress.replace(/^::ffff:/i, '');
  if (isIPv4(mapped)) return mapped;
  const [head = '', tail] = (remoteAddress.split('%', 1)[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
