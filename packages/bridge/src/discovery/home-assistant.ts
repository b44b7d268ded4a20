import { understandTemplate } from './template.ts';

/** This file reads the announcements of Home Assistant's MQTT discovery: the devices, and the places of their values. */

export interface AnnouncedDevice {
  /** The first identifier of the device, or the topic if it has none. */
  readonly id: string;
  readonly name: string;
  readonly model: string | null;
  readonly manufacturer: string | null;
  readonly sensors: readonly AnnouncedSensor[];
  readonly availability: AnnouncedAvailability | null;
  readonly notUsed: readonly NotUsed[];
}

export interface AnnouncedSensor {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly pointer: string | null;
  readonly decimals: number | null;
  /** The measured quantity, such as `temperature`. */
  readonly deviceClass: string | null;
  /** `total` and `total_increasing` are totals, everything else is a measurement. */
  readonly stateClass: string | null;
  readonly unit: string | null;
  readonly expireAfterS: number | null;
  /** The texts of a binary sensor. */
  readonly onOff: { readonly on: string; readonly off: string } | null;
}

interface AnnouncedAvailability {
  readonly topic: string;
  readonly pointer: string | null;
  readonly online: string;
  readonly offline: string;
}

export interface NotUsed {
  readonly topic: string;
  readonly what: string;
  readonly reason: NotUsedReason;
  readonly detail: string;
}

const NOT_USED_REASONS = [
  /** The template is not among those that can be turned into a pointer. */
  'template',
  /** The component is a switch, a light or similar; the bridge only reads sensors. */
  'component',
  'no_state_topic',
  'not_json',
  /** The value is a time or a text, and not a number. */
  'no_number',
] as const;
export type NotUsedReason = (typeof NOT_USED_REASONS)[number];

/** The fields of an announcement after its abbreviations were replaced. */
type Fields = Readonly<Record<string, unknown>>;

const ANNOUNCEMENT_BYTES_MAX = 256 * 1024;
const DEVICES_MAX = 10_000;

/** The abbreviations of the fields that are used here. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  avty: 'availability',
  avty_t: 'availability_topic',
  avty_tpl: 'availability_template',
  cmps: 'components',
  dev: 'device',
  dev_cla: 'device_class',
  exp_aft: 'expire_after',
  p: 'platform',
  pl_avail: 'payload_available',
  pl_not_avail: 'payload_not_available',
  pl_off: 'payload_off',
  pl_on: 'payload_on',
  stat_cla: 'state_class',
  stat_t: 'state_topic',
  t: 'topic',
  uniq_id: 'unique_id',
  unit_of_meas: 'unit_of_measurement',
  val_tpl: 'value_template',
};
const DEVICE_ABBREVIATIONS: Readonly<Record<string, string>> = {
  ids: 'identifiers',
  cns: 'connections',
  mf: 'manufacturer',
  mdl: 'model',
};

/** Returns the filters to subscribe to. */
export const discoveryFilters = (prefix: string): string[] => [
  `${prefix}/+/+/config`,
  `${prefix}/+/+/+/config`,
];

/** Collects announcements; an empty message removes the announcement on its topic. */
export class Announcements {
  readonly #prefix: string;
  readonly #parts = new Map<string, readonly Part[]>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(topic: string, payload: string): void {
    if (payload === '') this.#parts.delete(topic);
    else if (this.#parts.has(topic) || this.#parts.size < DEVICES_MAX)
      this.#parts.set(topic, this.#partsAt(topic, payload));
  }

  /** Parses an announcement. One whose nesting is too deep to follow is reported as unreadable, and the others are used. */
  #partsAt(topic: string, payload: string): Part[] {
    const parsed = payload.length > ANNOUNCEMENT_BYTES_MAX ? null : parseObject(payload);
    try {
      if (parsed !== null) return partsOf(this.#prefix, topic, parsed);
    } catch {
      // The announcement is reported as unreadable below.
    }
    return [unreadable(this.#prefix, topic, payload)];
  }

  devices(): AnnouncedDevice[] {
    const byId = new Map<string, Part[]>();
    for (const part of [...this.#parts.values()].flat()) {
      const known = byId.get(part.device.id);
      if (known === undefined) byId.set(part.device.id, [part]);
      else known.push(part);
    }
    return [...byId.values()].map(joined).sort((a, b) => a.id.localeCompare(b.id));
  }
}

interface Part {
  readonly device: Pick<AnnouncedDevice, 'id' | 'name' | 'model' | 'manufacturer'>;
  readonly sensor: AnnouncedSensor | null;
  readonly notUsed: NotUsed | null;
  readonly availability: AnnouncedAvailability | null;
}

function joined(parts: readonly Part[]): AnnouncedDevice {
  const [first] = parts;
  const named = parts.find(({ device }) => device.name !== device.id) ?? first;
  if (named === undefined) throw new Error('a device without parts');
  return {
    ...named.device,
    sensors: parts.flatMap(({ sensor }) => (sensor === null ? [] : [sensor])),
    availability: parts.find(({ availability }) => availability !== null)?.availability ?? null,
    notUsed: parts.flatMap(({ notUsed }) => (notUsed === null ? [] : [notUsed])),
  };
}

function namesIn(prefix: string, topic: string): { readonly component: string; readonly objectId: string } {
  const path = topic.slice(prefix.length + 1).split('/');
  return { component: path[0] ?? '', objectId: path.at(-2) ?? topic };
}

function unreadable(prefix: string, topic: string, payload: string): Part {
  const { component, objectId } = namesIn(prefix, topic);
  return {
    device: { id: objectId, name: objectId, model: null, manufacturer: null },
    sensor: null,
    notUsed: { topic, what: component, reason: 'not_json', detail: payload.slice(0, 80) },
    availability: null,
  };
}

function partsOf(prefix: string, topic: string, parsed: Fields): Part[] {
  const { component, objectId } = namesIn(prefix, topic);
  const fields = withoutBase(longNames(parsed, ABBREVIATIONS));
  if (component !== 'device') return [partOf(component, objectId, topic, fields)];
  const { components, ...shared } = fields;
  if (!isFields(components)) return [];
  return Object.entries(components).flatMap(([id, entry]) => {
    if (!isFields(entry)) return [];
    const own = withoutBase(longNames({ '~': shared['~'], ...entry }, ABBREVIATIONS));
    return [partOf(text(own['platform']) ?? '', id, topic, { ...shared, ...own })];
  });
}

function partOf(component: string, objectId: string, topic: string, fields: Fields): Part {
  const device = deviceOf(fields, objectId);
  const found = sensorOf(component, objectId, fields);
  if ('reason' in found) {
    const what = text(fields['name']) ?? objectId;
    const notUsed = { topic, what: `${component} ${what}`, ...found };
    return { device, sensor: null, notUsed, availability: availabilityOf(fields) };
  }
  return { device, sensor: found, notUsed: null, availability: availabilityOf(fields) };
}

function deviceOf(fields: Fields, objectId: string): Part['device'] {
  const device = isFields(fields['device']) ? longNames(fields['device'], DEVICE_ABBREVIATIONS) : {};
  const identifiers = device['identifiers'];
  const first = Array.isArray(identifiers) ? identifiers[0] : identifiers;
  const connection = Array.isArray(device['connections']) ? device['connections'][0] : undefined;
  const id =
    text(first) ??
    (Array.isArray(connection) ? text(connection[1]) : null) ??
    text(fields['unique_id']) ??
    objectId;
  return {
    id,
    name: label(device['name']) ?? id,
    model: label(device['model']),
    manufacturer: label(device['manufacturer']),
  };
}

/** The device classes whose value is a time or a text. */
const WITHOUT_NUMBER = new Set(['timestamp', 'date', 'enum']);

function sensorOf(
  component: string,
  objectId: string,
  fields: Fields,
): AnnouncedSensor | { readonly reason: NotUsedReason; readonly detail: string } {
  if (component !== 'sensor' && component !== 'binary_sensor')
    return { reason: 'component', detail: component };
  const topic = text(fields['state_topic']);
  if (topic === null) return { reason: 'no_state_topic', detail: '' };
  const deviceClass = text(fields['device_class']);
  if (deviceClass !== null && WITHOUT_NUMBER.has(deviceClass))
    return { reason: 'no_number', detail: deviceClass };
  const template = text(fields['value_template']);
  const read = template === null ? { pointer: null, decimals: null } : understandTemplate(template);
  if (read === null) return { reason: 'template', detail: template ?? '' };
  const isBinary = component === 'binary_sensor';
  return {
    id: text(fields['unique_id']) ?? objectId,
    name: label(fields['name']) ?? deviceClass ?? objectId,
    topic,
    ...read,
    deviceClass,
    stateClass: text(fields['state_class']),
    unit: label(fields['unit_of_measurement'], UNIT_CHARACTERS_MAX),
    expireAfterS: typeof fields['expire_after'] === 'number' ? fields['expire_after'] : null,
    onOff: isBinary
      ? { on: text(fields['payload_on']) ?? 'ON', off: text(fields['payload_off']) ?? 'OFF' }
      : null,
  };
}

/** Returns the first topic of a list; `null` if its template is not understood. */
function availabilityOf(fields: Fields): AnnouncedAvailability | null {
  const listed = Array.isArray(fields['availability']) ? fields['availability'][0] : fields['availability'];
  const entry = isFields(listed) ? longNames(listed, ABBREVIATIONS) : {};
  const topic = text(entry['topic']) ?? text(fields['availability_topic']);
  if (topic === null) return null;
  const template = text(entry['value_template']) ?? text(fields['availability_template']);
  const read = template === null ? { pointer: null } : understandTemplate(template);
  if (read === null) return null;
  return {
    topic,
    pointer: read.pointer,
    online: text(entry['payload_available']) ?? text(fields['payload_available']) ?? 'online',
    offline: text(entry['payload_not_available']) ?? text(fields['payload_not_available']) ?? 'offline',
  };
}

/** Replaces `~` at the beginning or end of a topic by the base topic. */
function withoutBase(fields: Fields): Fields {
  const base = fields['~'];
  if (typeof base !== 'string') return fields;
  const whole = (key: string, value: unknown): unknown => {
    if (Array.isArray(value) && key === 'availability')
      return value.map((entry) =>
        isFields(entry) ? withoutBase({ ...longNames(entry, ABBREVIATIONS), '~': base }) : entry,
      );
    if (typeof value !== 'string' || !key.endsWith('topic')) return value;
    if (value.startsWith('~')) return base + value.slice(1);
    return value.endsWith('~') ? value.slice(0, -1) + base : value;
  };
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, whole(key, value)]));
}

const longNames = (fields: Fields, names: Readonly<Record<string, string>>): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      Object.hasOwn(names, key) ? (names[key] ?? key) : key,
      value,
    ]),
  );

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a text for people: without control characters, and not longer than a line. */
const label = (value: unknown, charactersMax = LABEL_CHARACTERS_MAX): string | null =>
  text(
    text(value)
      ?.replaceAll(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, charactersMax),
  );

const LABEL_CHARACTERS_MAX = 100;
const UNIT_CHARACTERS_MAX = 20;

const text = (value: unknown): string | null => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
};

function parseObject(payload: string): Fields | null {
  try {
    const parsed: unknown = JSON.parse(payload);
    return isFields(parsed) ? parsed : null;
  } catch {
    return null;
  }
}
