import type { IClientOptions } from 'mqtt';

/** In parts, because the library would take the text apart by a function of Node that warns about itself. */
export function brokerAddress(url: string): Pick<IClientOptions, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(url);
  return {
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
  };
}
