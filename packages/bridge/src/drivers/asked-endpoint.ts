import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** The link-local addresses: there, the metadata services of clouds give secrets of the machine to every process on it. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6');

const SERIAL_LINE = /^\/dev\/(tty[A-Z]\w*|(tty|cu)\.[\w.-]+|serial\/by-(id|path)\/[\w.:+-]+)$/;

const isLinkLocal = (address: string): boolean =>
  isIP(address) !== 0 && LINK_LOCAL.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Returns why the bridge does not use an endpoint that a person names through the service; `null` if it may be used. Such a
 * person needs no rights on this machine. The site file may name every endpoint.
 */
export function askedEndpointFault(endpoint: string): string | null {
  if (!URL.canParse(endpoint)) return `"${endpoint}" is no endpoint`;
  const { protocol, hostname, pathname } = new URL(endpoint);
  if (protocol === 'serial:')
    return SERIAL_LINE.test(pathname)
      ? null
      : 'a serial line that is asked for here is below /dev/tty or /dev/serial; another one can be written into the site file';
  return isLinkLocal(hostname.replace(/^\[|\]$/g, ''))
    ? 'link-local addresses are not asked for here; one can be written into the site file'
    : null;
}

/** Looks a name up for `net.connect`, and never resolves it to a link-local address. */
export const lookUpDevice: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    const accepted = found.filter(({ address }) => !isLinkLocal(address));
    const [first] = accepted;
    if (first === undefined) callback(new Error(`${hostname} has a link-local address only`), '');
    else if (options.all === true) callback(null, accepted);
    else callback(null, first.address, first.family);
  });
};
