import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { assertPublished } from '../published/answer-check.ts';

const WAIT_MS_MAX = 20_000;
const POLL_MS = 100;
/** The devices that the tour registers. */
export const SILOS = '/v1/siloscale/devices';
export const FIELD = '/v1/fielddevice/devices';
export const SILO = `${SILOS}/tour-silo`;
export const ROVER = `${FIELD}/tour-rover`;
export const HOME = { latitude: 48.2, longitude: 16.3, altitude: 170 };
const HEADERS = ['allow', 'cache-control', 'content-type', 'etag', 'idempotency-replayed', 'retry-after'];

/** A device that answers as the tour says. */
export class TourDevice {
  readonly #client: MqttClient;
  readonly #deviceId: string;
  readonly #commands: Record<string, unknown>[] = [];

  constructor(client: MqttClient, deviceId: string) {
    this.#client = client;
    this.#deviceId = deviceId;
    client.on('message', (topic, payload) => {
      if (topic.endsWith('/command')) this.#commands.push(JSON.parse(payload.toString()));
    });
  }

  static async connect(mqttUrl: string, deviceId: string, password: string): Promise<TourDevice> {
    const client = await connectAsync(mqttUrl, {
      clientId: deviceId,
      username: deviceId,
      password,
      reconnectPeriod: 0,
    });
    const device = new TourDevice(client, deviceId);
    await client.subscribeAsync(`granary/v1/${deviceId}/command`, { qos: 1 });
    return device;
  }

  async publish(subject: string, message: object): Promise<void> {
    await this.#client.publishAsync(`granary/v1/${this.#deviceId}/${subject}`, JSON.stringify(message), {
      qos: 1,
    });
  }

  async command(kind: string): Promise<Record<string, unknown>> {
    return await until(async () => {
      const at = this.#commands.findIndex(({ command }) => command === kind);
      return at === -1 ? undefined : this.#commands.splice(at, 1)[0];
    }, `command ${kind}`);
  }

  async leave(): Promise<void> {
    await this.#client.endAsync();
  }
}

async function until<T>(find: () => Promise<T | undefined>, what: string): Promise<T> {
  const endMs = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error(`waited in vain for ${what}`);
    await sleep(POLL_MS);
  }
}

export interface Tour {
  readonly client: TourClient;
  readonly silo: TourDevice;
  readonly rover: TourDevice;
}

/** The names and types of a value, so that differing values compare equal. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

/** Replaces the values that differ from run to run. */
function normal(value: unknown, name = ''): unknown {
  if (name === 'age_s') return '<ages>';
  // The time is stored a moment after the use.
  if (name === 'last_used_at') return '<time or null>';
  if (typeof value === 'string')
    return ['secret', 'key', 'next_cursor', 'request_id', 'session_id'].includes(name)
      ? `<${name}>`
      : normalText(value);
  if (typeof value === 'number')
    return /_ms$|^ts$|sequence|duration|progress|estimated|last_event_id/.test(name) ? '<number>' : value;
  if (Array.isArray(value)) return value.map((one) => normal(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([own, member]) => [own, normal(member, own)]));
}

const normalText = (text: string): string =>
  text
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/\b1[67]\d{11}\b/g, '<ms>')
    .replace(/\b([a-z]{2,7})_[0-9a-z]{20,}\b/g, '<$1 id>')
    .replace(/\bgk_\w+|\bg[rncsi]?_[A-Za-z0-9_-]{20,}/g, '<key>')
    .replace(/"request_id":"[^"]+"/g, '"request_id":"<id>"')
    .replace(/cursor=[\w%=-]+/g, (found) => (found.includes('nonsense') ? found : 'cursor=<cursor>'));

export interface ServiceAddress {
  readonly httpUrl: string;
  readonly mqttUrl: string;
  readonly adminKey: string;
}

/** One request and its answer, without ids, times and secrets. */
export interface TourStep {
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Options {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
}

/** Answers of every endpoint pass through here, so their bodies have no common type. */
type Body = ReturnType<typeof JSON.parse>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Sends requests to the service and records each step. */
export class TourClient {
  readonly steps: TourStep[] = [];
  readonly address: ServiceAddress;
  /** The key that is sent with every request; an empty one is not sent. */
  key: string;

  constructor(address: ServiceAddress) {
    this.address = address;
    this.key = address.adminKey;
  }

  async step(method: string, path: string, options: Options = {}): Promise<Answer> {
    const answer = await this.#ask(method, path, options);
    const headers = HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, normalText(value)]];
    });
    const sent = options.body ?? options.raw;
    this.steps.push({
      request: normalText(`${method} ${path}${sent === undefined ? '' : ` ${JSON.stringify(sent)}`}`),
      status: answer.status,
      headers: Object.fromEntries(headers),
      body: normal(answer.body),
    });
    return answer;
  }

  async waitFor(path: string, isDone: (data: Body) => boolean): Promise<Body> {
    return await until(async () => {
      const { body } = await this.#ask('GET', path);
      return isDone(body.data) ? body.data : undefined;
    }, path);
  }

  async #ask(method: string, path: string, { body, headers = {}, raw }: Options = {}): Promise<Answer> {
    const response = await fetch(this.address.httpUrl + path, {
      method,
      headers: {
        ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    });
    const text = await response.text();
    assertPublished({ method, path, status: response.status, headers: response.headers, text });
    const isJson = text !== '' && response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }
}
