import { BlockList, isIP } from 'node:net';
import type { BrokerAddress, BrokerAddresses } from '@granary/link/port';
import type { Logger } from '../logging/logger.ts';
import type { Settings } from '../settings.ts';
import { CertificateFiles, type CertificateFilesParts } from './certificate-files.ts';

/** Opens the certificate; `null` without TLS. */
export async function openCertificate(
  { tlsCert: certPath, tlsKey: keyPath }: Settings,
  parts: Omit<CertificateFilesParts, 'paths'>,
): Promise<CertificateFiles | null> {
  if (certPath === null || keyPath === null) return null;
  return await CertificateFiles.open({ ...parts, paths: { certPath, keyPath } });
}

export function linkAddresses(settings: Settings): BrokerAddresses {
  const { mqttHost, mqttPort, mqttsHost, mqttsPort, tlsCert } = settings;
  return {
    plain: mqttPort === null ? null : { host: mqttHost, port: mqttPort },
    secure: mqttsPort === null || tlsCert === null ? null : { host: mqttsHost, port: mqttsPort },
  };
}

/** The setting of the port on which listening failed. */
export const linkPortOf =
  ({ mqttHost, mqttPort, mqttsHost, mqttsPort }: Settings) =>
  (error: unknown): string => {
    const failedPort = error instanceof Error && 'port' in error ? error.port : mqttPort;
    return failedPort === mqttPort
      ? `GRANARY_MQTT_PORT (${mqttHost}:${mqttPort})`
      : `GRANARY_MQTTS_PORT (${mqttsHost}:${mqttsPort})`;
  };

export function urlOf(protocol: string, address: BrokerAddress | null): string | null {
  if (address === null) return null;
  const { host, port } = address;
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function warnOfExposedPorts(settings: Settings, logger: Logger): void {
  const { httpHost, httpPort, mqttHost, mqttPort, broker } = settings;
  const isMqttClosed = mqttPort === null || broker !== null;
  const exposed = [
    ...(httpPort === null || isLoopback(httpHost) ? [] : [`HTTP on ${httpHost}:${httpPort}`]),
    ...(isMqttClosed || isLoopback(mqttHost) ? [] : [`MQTT on ${mqttHost}:${mqttPort}`]),
  ];
  if (broker !== null && !broker.isSecure && !isLoopback(broker.host)) {
    logger.warn(
      `NOT ENCRYPTED: the connection to the broker ${broker.host}:${broker.port}, where the password of this service can be read on the way. Use mqtts:// in GRANARY_BROKER_URL`,
    );
  }
  if (exposed.length === 0) return;
  logger.warn(
    `NOT ENCRYPTED: other machines can reach ${exposed.join(' and ')} without TLS, where API keys and device secrets can be read on the way. Use GRANARY_TLS_CERT and GRANARY_TLS_KEY and switch these ports off or to 127.0.0.1, or put a proxy with TLS in front`,
  );
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost';
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
