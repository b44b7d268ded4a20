import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { counter, Histogram, type Metric } from './exposition.ts';

/** Node reports every answer here, which costs less than a hook of Fastify with its listeners on each answer. */
const ANSWERED = 'http.server.response.finish';
const DURATION_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const MS_PER_S = 1_000;
const MEASURED = Symbol('the measurement of a request');

interface Measurement {
  readonly owner: RequestMetrics;
  readonly route: RouteMetrics;
  readonly startedMs: number;
}

interface MeasuredMessage extends IncomingMessage {
  [MEASURED]?: Measurement;
}

type RouteConfig = FastifyRequest['routeOptions']['config'];

interface RouteMetrics {
  readonly method: string;
  readonly route: string;
  /** The number of answers; the index is the first digit of the status. */
  readonly answers: number[];
  /** `null` for a route whose answers have no end. */
  readonly durations: Histogram | null;
}

/** Counts requests by method, route and class of status, and measures how long they take until the answer is written. */
export class RequestMetrics {
  /** The counts of each route; the key is its configuration object, of which each route has one. */
  readonly #routes = new Map<RouteConfig, RouteMetrics>();

  start(): void {
    subscribe(ANSWERED, this.#answered);
  }

  stop(): void {
    unsubscribe(ANSWERED, this.#answered);
  }

  begin(message: MeasuredMessage, config: RouteConfig): void {
    let route = this.#routes.get(config);
    if (route === undefined) {
      route = newRoute(config);
      this.#routes.set(config, route);
    }
    message[MEASURED] = { owner: this, route, startedMs: performance.now() };
  }

  metrics(): Metric[] {
    const routes = [...this.#routes.values()];
    const labelsOf = ({ method, route }: RouteMetrics) => ({ method, route });
    return [
      counter(
        'granary_http_requests_total',
        'Answered HTTP requests.',
        routes.flatMap((route) =>
          route.answers.flatMap((value, digit) =>
            value === 0 ? [] : [{ labels: { ...labelsOf(route), status: `${digit}xx` }, value }],
          ),
        ),
      ),
      {
        name: 'granary_http_request_duration_seconds',
        help: 'Time from the headers of a request to the end of its answer.',
        type: 'histogram',
        samples: routes.flatMap((route) => route.durations?.samples(labelsOf(route)) ?? []),
      },
    ];
  }

  readonly #answered = (event: unknown): void => {
    const { request, response } = event as { request: MeasuredMessage; response: ServerResponse };
    const measurement = request[MEASURED];
    if (measurement === undefined || measurement.owner !== this) return;
    const { route, startedMs } = measurement;
    const digit = Math.trunc(response.statusCode / 100);
    route.answers[digit] = (route.answers[digit] ?? 0) + 1;
    route.durations?.observe((performance.now() - startedMs) / MS_PER_S);
  };
}

/** The label is the declared path, never the path as it was sent, because each path would be a time series. */
function newRoute({ url, method, endpoint }: RouteConfig): RouteMetrics {
  const isEndless = endpoint?.answers[200].mediaType === 'text/event-stream';
  return {
    method: typeof method === 'string' ? method : 'any',
    route: url ?? 'unknown',
    answers: [0, 0, 0, 0, 0, 0],
    durations: isEndless ? null : new Histogram(DURATION_BOUNDS_S),
  };
}
