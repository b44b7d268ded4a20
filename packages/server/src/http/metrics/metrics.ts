import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FastifyInstance } from 'fastify';
import { CONTENT_TYPE, exposition, gauge } from '../../process/metrics/exposition.ts';
import type { RequestMetrics } from '../../process/metrics/request-metrics.ts';
import type { ConnectionLimits } from '../access/connection-limits.ts';
import type { RequestTurns } from '../access/request-turns.ts';
import { sendBytes } from '../protocol/large-body.ts';
import { SharedAnswer } from '../protocol/shared-answer.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** The figures are made once for all who ask within this time. */
const KEPT_MS = 200;

interface HttpParts {
  readonly requests: RequestMetrics;
  readonly connections: ConnectionLimits;
  readonly turns: Pick<RequestTurns, 'figures'>;
}

export function metricsRoutes(
  routes: FastifyInstance,
  { metrics }: RouteDependencies,
  { requests, connections, turns }: HttpParts,
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
  register(routes, endpoints.health.metrics, async (_request, reply) =>
    sendBytes(reply.type(CONTENT_TYPE), await text.get()),
  );
}
