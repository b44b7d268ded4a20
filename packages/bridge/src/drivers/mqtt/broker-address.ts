import type { IClientOptions } from 'mqtt';

/** Returns the address in parts, because the library would parse a text with a deprecated function of Node that prints a warning. */
export function brokerAddress(url: string): Pick<IClientOptions, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(url);
  return {
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
  };
}
