import { Refusal } from '@granary/contract/errors';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface Weighed {
  readonly range: string;
  readonly weight: number;
}

/** The first of the offered media types is the answer for callers that name none, accept any, or accept none of them. */
export function preferredType<T extends string>(
  header: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const accepted = (header ?? '*/*').split(',').map(weighed);
  const weights = offered.map((type) => weightOf(type, accepted));
  const best = Math.max(...weights);
  if (best <= 0) return offered[0];
  const candidates = offered.filter((_, index) => weights[index] === best);
  const named = accepted.find(({ range }) => (candidates as string[]).includes(range));
  return candidates.find((type) => type === named?.range) ?? candidates[0] ?? offered[0];
}

function weighed(text: string): Weighed {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { range, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}

/** The most specific range that covers the type decides, as RFC 9110 says. */
function weightOf(type: string, accepted: readonly Weighed[]): number {
  for (const range of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const found = accepted.find((one) => one.range === range);
    if (found !== undefined) return found.weight;
  }
  return 0;
}

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
