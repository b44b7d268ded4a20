import { Refusal } from '@granary/contract/errors';
import type { FastifyInstance, HTTPMethods } from 'fastify';

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * An address that exists answers a wrong method with 405 and names the right ones. Call before the routes are made;
 * register what it returns after them.
 */
export function collectMethods(app: FastifyInstance): (last: FastifyInstance) => Promise<void> {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methodsOf.set(url, known);
  });
  return async (last) => {
    for (const [url, known] of [...methodsOf]) {
      const allow = [...known].join(', ');
      const others = METHODS.filter((method) => !known.has(method));
      // A group that answers in its own way has seen to it.
      if (others.length === 0) continue;
      last.route({
        method: others,
        url: url.slice(last.prefix.length),
        handler: (request, reply) => {
          reply.header('allow', allow);
          throw new Refusal('method_not_allowed', `${request.method} is not possible here; ${allow} are`);
        },
      });
    }
  };
}
