import { isDuration } from '../mapping/duration.ts';
import type { Pointer } from '../mapping/json-pointer.ts';
import { ADDRESS, type MessagePlace, type MessageSettings } from '../mapping/message-place.ts';
import type { AttachedDevice } from './driver.ts';
import { serialSettings } from './serial-line.ts';

/** The format in which a LoRaWAN network server sends the values that its codec has decoded. */
interface Network {
  readonly settings: Partial<MessageSettings>;
  readonly payload: Pointer;
}

const key = (...keys: readonly string[]): Pointer => keys.map((name) => ({ kind: 'key', key: name }));

/**
 * A frame counter begins again with every session, so it is compared together with the session. The Things Stack leaves out a
 * counter of 0, like every empty field.
 */
const NETWORKS: Readonly<Record<string, Network>> = {
  chirpstack: {
    payload: key('object'),
    settings: {
      topic: `application/+/device/${ADDRESS}/event/up`,
      address: key('deviceInfo', 'devEui'),
      time: { pointer: key('time'), as: 'iso' },
      once: [key('deduplicationId')],
    },
  },
  tts: {
    payload: key('uplink_message', 'decoded_payload'),
    settings: {
      topic: `v3/+/devices/${ADDRESS}/up`,
      address: key('end_device_ids', 'device_id'),
      time: { pointer: key('received_at'), as: 'iso' },
      once: [key('uplink_message', 'session_key_id'), key('uplink_message', 'f_cnt')],
    },
  },
};
export const NETWORK_NAMES = Object.keys(NETWORKS);

const ADDRESS_TEXT = /^[^+#/\s\0]{1,100}$/;

export type MessageMapping = AttachedDevice['mapping'] & { readonly settings: MessageSettings };

/** Checks whether the site file has everything that the mapping of a device needs; returns one sentence for each fault. */
export function messageDeviceFaults({ mapping, endpoint, options }: AttachedDevice): string[] {
  const faults = endpointFaults(endpoint);
  const { address, network } = options;
  const settings = settingsOf(mapping as MessageMapping, network);
  const topics = [settings.topic, ...mapping.points.map(({ place }) => (place as MessagePlace).topic)];
  const isMqtt = /^mqtts?:/.test(endpoint);
  if (mapping.protocol === 'lorawan' && !Object.hasOwn(NETWORKS, String(network)))
    faults.push(`options.network must be one of ${NETWORK_NAMES.join(', ')}`);
  for (const name of ['silent_after', 'every'])
    if (options[name] !== undefined && !isDuration(options[name]))
      faults.push(`options.${name} must be a duration such as 30s, 5m or 1h`);
  const needsAddress = isMqtt && topics.some((topic) => topic?.includes(ADDRESS));
  if (needsAddress && (typeof address !== 'string' || !ADDRESS_TEXT.test(address)))
    faults.push('options.address must be the part of the topic that names the device, without / + and #');
  if (isMqtt && topics.every((topic) => topic === null))
    faults.push(`the mapping ${mapping.name} names no topic`);
  return faults;
}

/** Checks the address; its scheme was checked before. */
function endpointFaults(endpoint: string): string[] {
  const url = new URL(endpoint);
  const { protocol, port } = url;
  if (protocol === 'serial:' && serialSettings(url) === null)
    return [`"${endpoint}" is no serial line: use serial:///dev/ttyUSB0?baud=9600&parity=even&stop=1`];
  const needsPort = protocol === 'tcp:' || protocol === 'listen:';
  if (port === '0' || (needsPort && port === ''))
    return [`"${endpoint}" needs a port, such as ${protocol}//${url.hostname || '0.0.0.0'}:4001`];
  return [];
}

export function settingsOf({ protocol, settings }: MessageMapping, network: unknown): MessageSettings {
  if (protocol !== 'lorawan' || !Object.hasOwn(NETWORKS, String(network))) return settings;
  return { ...settings, ...NETWORKS[String(network)]?.settings };
}

/** Where a message of the device has the values; a LoRaWAN network server puts them beside what it says itself. */
export const payloadOf = ({ mapping, options }: AttachedDevice): Pointer =>
  mapping.protocol === 'lorawan' ? (NETWORKS[String(options['network'])]?.payload ?? []) : [];
