import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export type Done = (error?: Error) => void;

/**
 * What is urgent is never limited, and while the storage does not answer it is open to every key that was good when the
 * storage last did.
 */
export const urgencyOf = ({ routeOptions }: FastifyRequest) =>
  routeOptions.config.endpoint?.isUrgent ?? false;

export const isUrgentNow = ({ isUrgent }: Endpoint, body: unknown): boolean =>
  typeof isUrgent === 'function' ? isUrgent(body) : isUrgent;

/** Runs only for routes whose urgency depends on the body, so that other routes do not pay for it. */
export function onceBodyTells(
  app: FastifyInstance,
  act: (isUrgent: boolean, request: FastifyRequest, reply: FastifyReply, done: Done) => void,
): void {
  app.addHook('onRoute', (route) => {
    const isUrgent = route.config?.endpoint?.isUrgent;
    if (typeof isUrgent !== 'function') return;
    const hook = (request: FastifyRequest, reply: FastifyReply, done: Done): void =>
      act(isUrgent(request.body), request, reply, done);
    route.preHandler = [route.preHandler ?? [], hook].flat();
  });
}
