import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { FastifyInstance } from 'fastify';
import { CONTENT_TYPE, exposition, gauge } from '../metrics/exposition.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { ConnectionLimits } from './access/connection-limits.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

interface HttpParts {
  readonly requests: RequestMetrics;
  readonly connections: ConnectionLimits;
}

export function metricsRoutes(
  routes: FastifyInstance,
  { metrics }: RouteDependencies,
  { requests, connections }: HttpParts,
): void {
  register(routes, endpoints.health.metrics, async (_request, reply) => {
    const all = [
      ...(await metrics.metrics()),
      gauge('granary_http_connections', 'Open HTTP connections.', connections.count),
      gauge(
        'granary_http_reserved_connections',
        'Open connections beyond the limits, on which only stops are served.',
        connections.reservedCount,
      ),
      ...requests.metrics(),
    ];
    return reply.type(CONTENT_TYPE).send(exposition(all));
  });
}
