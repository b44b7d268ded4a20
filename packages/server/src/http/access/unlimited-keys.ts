import { Refusal } from '@granary/contract/errors';
import { isUnlimited } from '@granary/core/keys';
import type { FastifyRequest } from 'fastify';

/** For what concerns every site: with it, a limited key could reach beyond its limits. */
export function refuseLimited(request: FastifyRequest, what: string): void {
  if (isUnlimited(request.caller)) return;
  throw new Refusal('forbidden', `a key that is limited to sites or devices cannot ${what}`);
}
