import type { BrokerAddress } from '../../port.ts';

/** An external broker and the login of the service there. */
export interface BrokerAccess extends BrokerAddress {
  readonly isSecure: boolean;
  readonly username: string | null;
  readonly password: string | null;
}

const PLAIN_PORT = 1883;
const SECURE_PORT = 8883;

/** Parses an address; returns `null` if it is not `mqtt://` or `mqtts://`, a host and optionally a login and a port. */
export function parseBrokerUrl(text: string): BrokerAccess | null {
  if (!/^mqtts?:\/\/\S+$/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, hostname, port, username, password, pathname, search, hash } = url;
  if (hostname === '' || (pathname !== '' && pathname !== '/') || search !== '' || hash !== '') return null;
  const isSecure = protocol === 'mqtts:';
  const usualPort = isSecure ? SECURE_PORT : PLAIN_PORT;
  try {
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? usualPort : Number(port),
      isSecure,
      username: username === '' ? null : decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
    };
  } catch {
    return null;
  }
}
