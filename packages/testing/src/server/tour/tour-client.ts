import { assertPublished } from '../published/answer-check.ts';
import { normal, normalText } from './normal.ts';
import { until } from './tour-device.ts';

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

const HEADERS = ['allow', 'cache-control', 'content-type', 'etag', 'idempotency-replayed', 'retry-after'];

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
  /** Sent with every request; an empty one is not sent. */
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
