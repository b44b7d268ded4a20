import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from './logger.ts';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The trace id of a W3C `traceparent` header; `undefined` for everything that is none. */
export function traceIdOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
}

/** Writes one line for each answered request. The query is left out, because callers put names and texts into it. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        trace_id: traceIdOf(request.headers['traceparent']),
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        key_id: keyIdOf(request),
        address: request.address,
      },
      'request',
    );
  });
}

/** Routes without a key have no caller, and neither has a request whose key is not known. */
const keyIdOf = ({ caller }: Partial<FastifyRequest>): string | undefined => caller?.keyId;
