import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FastifyInstance } from 'fastify';
import { CONTENT_TYPE, exposition, gauge } from '../../process/metrics/exposition.ts';
import { sendBytes } from '../protocol/answers.ts';
import { register } from '../register.ts';
import { sharedRead } from '../request-limit.ts';
import type { Parts } from '../route-dependencies.ts';

/** The figures are made once for all callers within this time. */
const KEPT_MS = 200;

/** An answer that is the same for all callers, made at most once in a short time, also while many ask for it. */
export class SharedAnswer<T> {
  readonly #make: () => Promise<T>;
  readonly #keptMs: number;
  readonly #nowMs: () => number;
  #last: { readonly answer: Promise<T>; readonly atMs: number } | null = null;

  constructor(make: () => Promise<T>, keptMs: number, nowMs: () => number = () => performance.now()) {
    this.#make = make;
    this.#keptMs = keptMs;
    this.#nowMs = nowMs;
  }

  get(): Promise<T> {
    const nowMs = this.#nowMs();
    if (this.#last !== null && nowMs - this.#last.atMs < this.#keptMs) return this.#last.answer;
    const answer = this.#make();
    this.#last = { answer, atMs: nowMs };
    // A failure is the answer to those who have asked so far; the next caller makes a new attempt.
    answer.catch(() => {
      if (this.#last?.answer === answer) this.#last = null;
    });
    return answer;
  }
}

export function metricsRoutes(
  routes: FastifyInstance,
  { metrics, figures: { requests, connections, turns } }: Parts<'metrics' | 'figures'>,
): void {
  const make = async (): Promise<Buffer> => {
    const all = [
      ...(await metrics.metrics()),
      gauge('granary_http_connections', 'Open HTTP connections.', connections.count),
      gauge(
        'granary_http_reserved_connections',
        'Open connections beyond the limits, on which only stops are served.',
        connections.reservedCount,
      ),
      gauge('granary_http_waiting_requests', 'Requests that wait for their turn.', turns.figures.waiting),
      ...requests.metrics(),
    ];
    return Buffer.from(exposition(all));
  };
  const text = new SharedAnswer(make, KEPT_MS);
  register(routes, endpoints.health.metrics, async ({ request, reply }) =>
    sendBytes(reply.type(CONTENT_TYPE), await sharedRead(request, text.get())),
  );
}
