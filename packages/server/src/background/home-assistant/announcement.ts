import type { FleetDevice, FleetReading } from '@granary/contract/fleet';
import { unitSymbol } from '@granary/contract/telemetry/channels';

/** What Home Assistant is told of a device by its MQTT discovery, and where its values are. */

export interface RetainedMessage {
  readonly topic: string;
  readonly payload: string;
}

export interface OpenAlerts {
  readonly count: number;
  readonly critical: number;
}

/** The prefix marks our announcements, so that those of devices that no longer exist are found and removed. */
const NODE = 'granary_';
const BASE = 'granary';
const PREFIX = 'homeassistant';
/** Home Assistant reports on this topic that it has started. */
export const STATUS_TOPIC = `${PREFIX}/status`;
export const SERVICE_TOPIC = `${BASE}/status`;
export const ONLINE = 'online';
export const OFFLINE = 'offline';
const ORIGIN = { name: 'Granary' };
/** Home Assistant shows a value without a new reading for this long as unavailable, also when the service was killed. */
const EXPIRE_AFTER_S = 120;

/** The device class of a quantity in Home Assistant, by the name of its channel, otherwise by its unit. */
const CLASSES: Readonly<Record<string, string>> = {
  weight: 'weight',
  temperature: 'temperature',
  humidity: 'humidity',
  battery_level: 'battery',
  signal_strength: 'signal_strength',
  soil_moisture: 'moisture',
  light_intensity: 'illuminance',
  wind_speed: 'wind_speed',
  atmospheric_pressure: 'atmospheric_pressure',
};
const CLASSES_OF_UNITS: Readonly<Record<string, string>> = {
  '°C': 'temperature',
  kg: 'weight',
  V: 'voltage',
  A: 'current',
  W: 'power',
  hPa: 'pressure',
  ppm: 'carbon_dioxide',
};
/** These channels are amounts since the previous reading, so a mean of them is not a measurement. */
const WITHOUT_STATE_CLASS = new Set(['rainfall']);

/** The subscription that shows all announcements, also those of other programs. */
export const ANNOUNCED_TOPICS = `${PREFIX}/+/+/+/config`;

export const isOurs = (topic: string): boolean =>
  topic.endsWith('/config') && topic.split('/').at(-3)?.startsWith(NODE) === true;

const nodeOf = ({ device_id }: FleetDevice): string => NODE + device_id;
const stateTopic = ({ device_id }: FleetDevice): string => `${BASE}/${device_id}/state`;
const availabilityTopic = ({ device_id }: FleetDevice): string => `${BASE}/${device_id}/availability`;

/** One announcement for each sensor that has reported, and one for the alerts of the device. */
export function announcements(device: FleetDevice, pageUrl: string | null): RetainedMessage[] {
  const shared = {
    state_topic: stateTopic(device),
    availability: [{ topic: SERVICE_TOPIC }, { topic: availabilityTopic(device) }],
    availability_mode: 'all',
    device: {
      identifiers: [nodeOf(device)],
      name: device.name,
      model: device.model,
      manufacturer: 'Granary',
      suggested_area: device.location.facility,
      ...(pageUrl === null ? {} : { configuration_url: pageUrl }),
    },
    origin: ORIGIN,
  };
  const sensors = Object.entries(device.readings ?? {}).map(([name, reading]) => ({
    topic: `${PREFIX}/sensor/${nodeOf(device)}/${name}/config`,
    payload: JSON.stringify({
      ...shared,
      ...sensorFields(name, reading),
      unique_id: `${nodeOf(device)}_${name}`,
      value_template: `{{ value_json['${name}'] }}`,
      expire_after: EXPIRE_AFTER_S,
    }),
  }));
  const alert = {
    ...shared,
    name: 'Alert',
    unique_id: `${nodeOf(device)}_alert`,
    device_class: 'problem',
    value_template: '{{ value_json.alert }}',
    json_attributes_topic: stateTopic(device),
    json_attributes_template: '{{ value_json.alerts | tojson }}',
    // A problem is shown until the service says that it is over, also while the device is offline.
    availability: [{ topic: SERVICE_TOPIC }],
  };
  return [
    ...sensors,
    { topic: `${PREFIX}/binary_sensor/${nodeOf(device)}/alert/config`, payload: JSON.stringify(alert) },
  ];
}

function sensorFields(name: string, { unit }: FleetReading): Readonly<Record<string, unknown>> {
  const symbol = unitSymbol(unit);
  const deviceClass = CLASSES[name] ?? CLASSES_OF_UNITS[symbol];
  return {
    name: sentenceCase(name),
    unit_of_measurement: symbol,
    ...(deviceClass === undefined ? {} : { device_class: deviceClass }),
    ...(WITHOUT_STATE_CLASS.has(name) ? {} : { state_class: 'measurement' }),
  };
}

const sentenceCase = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A value that is stale or bad is sent as unknown, because Home Assistant has no quality. */
export function states(device: FleetDevice, alerts: OpenAlerts): RetainedMessage[] {
  const values = Object.entries(device.readings ?? {}).map(([name, { value, quality }]) => [
    name,
    quality === 'good' ? value : null,
  ]);
  const payload = JSON.stringify({
    ...Object.fromEntries(values),
    alert: alerts.count > 0 ? 'ON' : 'OFF',
    alerts: { open: alerts.count, critical: alerts.critical },
  });
  return [
    { topic: stateTopic(device), payload },
    { topic: availabilityTopic(device), payload: device.status === 'offline' ? OFFLINE : ONLINE },
  ];
}

/** Empty messages remove what is retained at the topics of a device. */
export const removedStates = (deviceId: string): RetainedMessage[] =>
  ['state', 'availability'].map((part) => ({ topic: `${BASE}/${deviceId}/${part}`, payload: '' }));

/** The id of the device that one of our announcements is about. */
export const deviceOfTopic = (topic: string): string => topic.split('/').at(-3)?.slice(NODE.length) ?? '';
