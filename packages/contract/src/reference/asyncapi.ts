import {
  DOWN_SUBJECTS,
  type DownSubject,
  LINK_PAYLOAD_BYTES_MAX,
  TOPIC_ROOT,
  UP_SUBJECTS,
  type UpSubject,
} from '../link/messages.ts';
import { DEVICE_MESSAGES, type DeviceMessage } from '../profiles/device-messages.ts';
import { READINGS_PER_MESSAGE_MAX } from '../telemetry/telemetry.ts';
import { ComponentSchemas, type Json, type JsonObject } from './component-schemas.ts';
import { examplesOf, type GuideExamples, useOf } from './message-schemas.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';

/** The ports of the device link; `null` if no part of the service listens. */
interface LinkPorts {
  readonly mqtt: number | null;
  readonly mqtts: number | null;
  /** The ports of HTTP and HTTPS, for MQTT over WebSocket. */
  readonly ws: number | null;
  readonly wss: number | null;
}

export interface AsyncApiOptions {
  readonly version: string;
  /** The name or address at which devices find the service. */
  readonly host: string;
  readonly ports: LinkPorts;
  readonly examples: GuideExamples;
}

const DESCRIPTION = `The messages between Granary and its devices, over MQTT 3.1.1.

A device uses its id as client id and user name, and its secret as password. It publishes and subscribes with QoS 1, on its own
topics only, and its last will is \`{"state": "offline"}\` on its \`status\` topic. The acknowledgement of a message means that
it is on disk. After each connect a device subscribes to \`command\` and \`config\`, then publishes \`{"state": "online"}\`. A payload
has at most ${LINK_PAYLOAD_BYTES_MAX / 1_024} KiB, and a message at most ${READINGS_PER_MESSAGE_MAX} readings. A message that cannot be
used is acknowledged and rejected; \`GET …/devices/{device_id}/rejections\` shows why. Devices ignore fields and commands that they
do not know. Rules and deadlines are in the device maker's guide, docs/devices.md.`;

const CHANNELS: Readonly<Record<UpSubject | DownSubject, string>> = {
  telemetry: 'Readings of the device.',
  status: 'Whether the device works, is switched off, or is under maintenance.',
  ack: 'The answer of the device to a start, a command or a mission.',
  progress: 'How an operation, a command or a mission stands on the device.',
  command: 'What the device is to do. Written to the connection of the moment, and never kept for later.',
  config: 'The whole configuration, after each connect and at each change.',
};

const ref = (...path: string[]): JsonObject => ({ $ref: `#/${path.join('/')}` });
const mqtt = (binding: JsonObject): JsonObject => ({ mqtt: { ...binding, bindingVersion: '0.2.0' } });
const byName = <T>(items: readonly T[], entry: (item: T) => [string, Json]): JsonObject =>
  Object.fromEntries(items.map(entry));

/** The AsyncAPI document of the device link; "send" and "receive" are meant from the side of the service. */
export function asyncApiDocument({ version, host, ports, examples }: AsyncApiOptions): JsonObject {
  const named = Object.fromEntries(DEVICE_MESSAGES.map(({ name, check }) => [name, check.schema]));
  const schemas = new ComponentSchemas({ ...NAMED_SCHEMAS, ...named }, '#/components/schemas/');
  // Messages from the service are collected first, because they decide about the names of schemas.
  const inOrder = DEVICE_MESSAGES.toSorted((a, b) => useOf(a).localeCompare(useOf(b)));
  const messages = byName(inOrder, (message) => [message.name, messageOf(message, schemas, examples)]);
  const subjects = [...UP_SUBJECTS, ...DOWN_SUBJECTS];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Granary: device link',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: serversOf(host, ports),
    channels: byName(subjects, (subject) => [subject, channelOf(subject)]),
    operations: {
      ...byName(UP_SUBJECTS, (subject) => operationOf('receive', subject)),
      ...byName(DOWN_SUBJECTS, (subject) => operationOf('send', subject)),
    },
    components: {
      securitySchemes: {
        device: { type: 'userPassword', description: 'The id of the device and its secret.' },
      },
      parameters: {
        device_id: { description: 'The id that was chosen at the registration.', examples: ['silo-7'] },
      },
      messages,
      schemas: schemas.schemas,
    },
  };
}

function serversOf(host: string, { mqtt, mqtts, ws, wss }: LinkPorts): JsonObject {
  const server = (port: number | null, protocol: string, description: string, pathname?: string) =>
    port === null
      ? {}
      : {
          [protocol]: {
            host: `{host}:${port}`,
            protocol,
            protocolVersion: '3.1.1',
            description,
            ...(pathname === undefined ? {} : { pathname }),
            variables: { host: { default: host, description: 'The name or address of the service.' } },
            security: [ref('components', 'securitySchemes', 'device')],
            bindings: SERVER_BINDINGS,
          },
        };
  const overWebSocket = 'over WebSocket, subprotocol mqtt';
  return {
    ...server(mqtt, 'mqtt', 'Not encrypted: only in a network that you trust.'),
    ...server(mqtts, 'mqtts', 'TLS 1.2 or newer, where the service has a certificate.'),
    ...server(ws, 'ws', `Not encrypted, ${overWebSocket}.`, '/mqtt'),
    ...server(wss, 'wss', `TLS 1.2 or newer, ${overWebSocket}.`, '/mqtt'),
  };
}

const SERVER_BINDINGS = mqtt({
  clientId: '{device_id}',
  cleanSession: true,
  keepAlive: 30,
  lastWill: {
    topic: `${TOPIC_ROOT}/{device_id}/status`,
    qos: 1,
    message: '{"state": "offline"}',
    retain: false,
  },
});

const namesOf = (subject: UpSubject | DownSubject): string[] =>
  DEVICE_MESSAGES.filter((message) => message.subject === subject).map(({ name }) => name);

const channelOf = (subject: UpSubject | DownSubject): JsonObject => ({
  address: `${TOPIC_ROOT}/{device_id}/${subject}`,
  summary: CHANNELS[subject],
  parameters: { device_id: ref('components', 'parameters', 'device_id') },
  messages: byName(namesOf(subject), (name) => [name, ref('components', 'messages', name)]),
});

/** Names such as `receiveTelemetry` and `sendCommand`. */
const operationOf = (action: 'send' | 'receive', subject: UpSubject | DownSubject): [string, Json] => [
  action + subject.charAt(0).toUpperCase() + subject.slice(1),
  {
    action,
    channel: ref('channels', subject),
    summary: CHANNELS[subject],
    messages: namesOf(subject).map((name) => ref('channels', subject, 'messages', name)),
    bindings: mqtt({ qos: 1, retain: false }),
  },
];

const messageOf = (
  message: DeviceMessage,
  schemas: ComponentSchemas,
  examples: GuideExamples,
): JsonObject => ({
  name: message.name,
  title: message.name,
  summary: message.summary,
  contentType: 'application/json',
  payload: schemas.use(message.check.schema, useOf(message)),
  examples: examplesOf(message, examples).map((payload) => ({ payload })),
});
