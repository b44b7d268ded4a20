import { connect, type IPublishPacket, type MqttClient } from 'mqtt';
import { pointedText } from '../../mapping/json-pointer.ts';
import type { DriverModule, DriverParts } from '../driver.ts';
import { MESSAGE_BYTES_MAX, type MessageDevice, MessageDevices, parseJson } from '../message-device.ts';
import { brokerAddress } from './broker-address.ts';
import { TopicTree } from './topic-tree.ts';

const FILTERS_PER_REQUEST = 200;
const RECONNECT_MS = 2_000;
const CONNECT_MS_MAX = 10_000;

/** A subscription: to values, or to the availability of a device. */
interface Subscribed {
  readonly device: MessageDevice;
  readonly topic: string | null;
  readonly isAvailability: boolean;
}

/** One connection to a broker, for all devices that send there. */
class BrokerSession {
  readonly #endpoint: string;
  readonly #devices: readonly MessageDevice[];
  readonly #parts: DriverParts;
  readonly #tree = new TopicTree<Subscribed>();
  readonly #filters = new Set<string>();
  #client: MqttClient | undefined;
  #isConnected = false;
  #trouble: string | null = null;

  constructor(endpoint: string, devices: readonly MessageDevice[], parts: DriverParts) {
    this.#endpoint = endpoint;
    this.#devices = devices;
    this.#parts = parts;
    for (const device of devices) {
      for (const { filter, topic } of device.topics())
        this.#add(filter, { device, topic, isAvailability: false });
      const { availability } = device.settings;
      if (availability !== null)
        this.#add(device.topicOf(availability.topic), { device, topic: null, isAvailability: true });
    }
  }

  start(): void {
    const login = this.#parts.credentials(this.#endpoint);
    const client = connect({
      ...brokerAddress(this.#endpoint),
      clientId: `granary-bridge-${crypto.randomUUID().slice(0, 12)}`,
      clean: true,
      resubscribe: false,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_MS_MAX,
      ...(login === null ? {} : { username: login.username, password: login.password }),
    });
    this.#client = client;
    client.on('connect', () => {
      this.#isConnected = true;
      this.#trouble = null;
      void this.#subscribe(client);
    });
    client.on('close', () => this.#lost('the connection to the broker was lost'));
    client.on('error', (error) => this.#unusable(error));
    client.on('message', (topic, payload, packet) => this.#received(topic, payload, packet));
  }

  async stop(): Promise<void> {
    await this.#client?.endAsync(true);
  }

  #add(filter: string, subscribed: Subscribed): void {
    this.#filters.add(filter);
    this.#tree.add(filter, subscribed);
  }

  async #subscribe(client: MqttClient): Promise<void> {
    const filters = [...this.#filters];
    try {
      for (let at = 0; at < filters.length; at += FILTERS_PER_REQUEST) {
        const granted = await client.subscribeAsync(filters.slice(at, at + FILTERS_PER_REQUEST), { qos: 1 });
        for (const { topic, qos } of granted) if (qos === REFUSED) this.#refused(topic);
      }
      this.#parts.log('info', 'listens to a broker', { endpoint: this.#endpoint, filters: filters.length });
    } catch (error) {
      // The connection has ended meanwhile, or a filter was refused; the next connection subscribes again.
      this.#parts.log('warn', 'a subscription failed', { endpoint: this.#endpoint, error: String(error) });
    }
  }

  #refused(filter: string): void {
    for (const { device } of this.#tree.matching(filter))
      device.failed('not_authorized', `the broker refuses the subscription to ${filter}`);
  }

  /**
   * Reports an error of the connection once, although the connection is tried every two seconds, until the error changes or the
   * connection is open again.
   */
  #unusable(error: Error): void {
    if (this.#trouble === error.message) return;
    this.#trouble = error.message;
    this.#parts.log('warn', 'a broker cannot be used', { endpoint: this.#endpoint, error: error.message });
    for (const device of this.#devices) device.failed(failureCode(error), error.message);
  }

  #lost(detail: string): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    for (const device of this.#devices) device.failed('connection_lost', detail);
  }

  #received(topic: string, payload: Buffer, { retain }: IPublishPacket): void {
    const found = this.#tree.matching(topic);
    if (found.length === 0) return;
    if (payload.length > MESSAGE_BYTES_MAX) {
      for (const { device } of found)
        device.failed('malformed', `a message of ${payload.length} bytes, more than ${MESSAGE_BYTES_MAX}`);
      return;
    }
    const text = payload.toString();
    const document = parseJson(text);
    for (const { device, topic: name, isAvailability } of found) {
      if (isAvailability) this.#availability(device, document, text);
      else if (document === undefined && device.needsDocument(name))
        device.failed('malformed', `not JSON: ${text.slice(0, 60)}`);
      else device.received({ text, document, topic: name, isRetained: retain, roundTripMs: null });
    }
  }

  #availability(device: MessageDevice, document: unknown, text: string): void {
    const { availability } = device.settings;
    if (availability === null) return;
    const said = availability.pointer === null ? text : pointedText(availability.pointer, document);
    if (said === availability.offline) device.available(false);
    else if (said === availability.online) device.available(true);
  }
}

const REFUSED = 128;

const failureCode = (error: Error & { readonly code?: unknown }) => {
  if (error.code === 'ECONNREFUSED') return 'connection_refused';
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'not_resolved';
  return error.code === 4 || error.code === 5 || error.code === 134 || error.code === 135
    ? 'not_authorized'
    : 'connection_lost';
};

export const makeDriver: DriverModule['makeDriver'] = (attached, events, parts) => {
  const devices = new MessageDevices(attached, events, parts);
  const sessions = [...devices.byEndpoint()].map(
    ([endpoint, ofEndpoint]) => new BrokerSession(endpoint, ofEndpoint, parts),
  );
  return {
    start: async () => {
      devices.start();
      for (const session of sessions) session.start();
    },
    stop: async () => {
      devices.stop();
      await Promise.all(sessions.map((session) => session.stop()));
    },
    health: () => devices.health(),
  };
};
