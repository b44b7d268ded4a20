import type { DeviceFaults, DriverModule } from './driver.ts';
import { messageDeviceFaults } from './message-settings.ts';
import { modbusDeviceFaults } from './modbus/device-faults.ts';

/**
 * The drivers. The scheme of the endpoint selects one, because the messages of a mapping may arrive over MQTT or HTTP. A driver
 * is loaded at its first use, so that the library of a protocol is loaded only if a device needs it.
 */
const DRIVERS: Readonly<Record<DriverName, () => Promise<DriverModule>>> = {
  mqtt: () => import('./mqtt/mqtt-driver.ts'),
  http: () => import('./http/http-driver.ts'),
  stream: () => import('./stream/stream-driver.ts'),
  modbus: async () => (await import('./modbus/modbus.ts')).modbus,
};

/** The protocols of mappings, with the drivers by the schemes of endpoints. */
const MESSAGES = {
  'mqtt:': 'mqtt',
  'mqtts:': 'mqtt',
  'listen:': 'http',
  'http:': 'http',
  'https:': 'http',
} as const;
const LINES = { 'tcp:': 'stream', 'serial:': 'stream' } as const;
const SCHEMES: Readonly<Record<string, Readonly<Record<string, DriverName>>>> = {
  modbus: { 'tcp:': 'modbus', 'rtu+tcp:': 'modbus', 'serial:': 'modbus' },
  mqtt: MESSAGES,
  http: MESSAGES,
  lorawan: MESSAGES,
  nmea: LINES,
  gpsd: LINES,
  ascii: LINES,
};

export type DriverName = 'mqtt' | 'http' | 'stream' | 'modbus';

/** Returns the driver for an endpoint; `null` if a device with this mapping cannot be reached there. */
export function driverNameOf(protocol: string, endpoint: string): DriverName | null {
  const scheme = URL.canParse(endpoint) ? new URL(endpoint).protocol : '';
  const schemes = SCHEMES[protocol] ?? {};
  return Object.hasOwn(schemes, scheme) ? (schemes[scheme] ?? null) : null;
}

/** Returns the key of the devices that need the same driver object: all paths of a port are one server. */
export function endpointGroup(endpoint: string): string {
  if (!endpoint.startsWith('listen:') || !URL.canParse(endpoint)) return endpoint;
  return `listen://${new URL(endpoint).host}`;
}

export const schemesOf = (protocol: string): string[] =>
  Object.keys(SCHEMES[protocol] ?? {}).map((scheme) => `${scheme}//`);

export const loadDriver = (name: DriverName): Promise<DriverModule> => DRIVERS[name]();

/** The registry of drivers. */
export interface Drivers {
  nameOf(protocol: string, endpoint: string): string | null;
  load(name: string): Promise<DriverModule>;
  faults: DeviceFaults;
}

/** Returns what the entry of a device lacks, according to its driver. */
export const deviceFaults: DeviceFaults = (device) => {
  const { protocol } = device.mapping;
  if (driverNameOf(protocol, device.endpoint) === null)
    return [`a device of the protocol ${protocol} is reached at ${schemesOf(protocol).join(' or ')}`];
  return protocol === 'modbus' ? modbusDeviceFaults(device) : messageDeviceFaults(device);
};

export const ALL_DRIVERS: Drivers = {
  nameOf: driverNameOf,
  load: (name) => loadDriver(name as DriverName),
  faults: deviceFaults,
};
