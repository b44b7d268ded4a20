import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Never limited, and while the storage does not answer open to every key that was good when it last did. For
     * what must not wait. A function tells by the body.
     */
    isUrgent?: boolean | ((body: unknown) => boolean);
  }
}

export type Done = (error?: Error) => void;

export const urgencyOf = ({ routeOptions }: FastifyRequest) => routeOptions.config.isUrgent ?? false;

/** Runs only for routes whose urgency depends on the body, so that other routes do not pay for it. */
export function onceBodyTells(
  app: FastifyInstance,
  act: (isUrgent: boolean, request: FastifyRequest, reply: FastifyReply, done: Done) => void,
): void {
  app.addHook('onRoute', (route) => {
    const isUrgent = route.config?.isUrgent;
    if (typeof isUrgent !== 'function') return;
    const hook = (request: FastifyRequest, reply: FastifyReply, done: Done): void =>
      act(isUrgent(request.body), request, reply, done);
    route.preHandler = [route.preHandler ?? [], hook].flat();
  });
}
