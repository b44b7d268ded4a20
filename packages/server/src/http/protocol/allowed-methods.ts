import { Refusal } from '@granary/contract/errors';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface KnownAddress {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/**
 * Handles requests without a route: a known path with a wrong method is 405 with the allowed ones, any other path is 404.
 * Must be called before the routes are registered.
 */
export function refuseUnrouted(
  app: FastifyInstance,
): (request: FastifyRequest, reply: FastifyReply) => Refusal {
  const addresses = new Map<string, KnownAddress>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = addresses.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const one of [method].flat()) known.methods.add(one);
    addresses.set(url, known);
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply): Refusal => {
    const path = request.url.split('?', 1)[0] ?? '';
    const found = [...addresses.values()].filter(({ pattern }) => pattern.test(path));
    if (found.length === 0) {
      const message = `there is nothing at ${quoted(path)}; /docs lists every address`;
      return new Refusal('route_not_found', message);
    }
    const allow = [...new Set(found.flatMap(({ methods }) => [...methods]))].join(', ');
    reply.header('allow', allow);
    return new Refusal('method_not_allowed', `${request.method} is not possible here; ${allow} are`);
  };
  app.setNotFoundHandler((request, reply) => {
    throw refuse(request, reply);
  });
  return refuse;
}

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+')}$`);
