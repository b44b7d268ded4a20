import { Refusal } from '@granary/contract/errors';
import { SESSION_COOKIE } from '@granary/contract/session';
import { canAccess, isUnlimited, type Limits, limitsWith, type Place } from '@granary/core/keys';
import type { FastifyRequest } from 'fastify';
import { type Credential, isSessionSecret, sessionCredential } from '../../process/keys/secrets.ts';
import { scopeOf } from './urgency.ts';

const BEARER = /^bearer +(\S+)$/i;
/** Recognises a header that is meant as a key, so that a cookie does not take its place. */
const BEARER_SCHEME = /^bearer\b/i;

export const namesBearer = ({ headers }: FastifyRequest): boolean =>
  BEARER_SCHEME.test(headers.authorization ?? '');

export const bearer = ({ headers }: FastifyRequest): string | undefined =>
  BEARER.exec(headers.authorization ?? '')?.[1];

/** The value of the session cookie, if it can be one. */
export function sessionSecret({ headers }: FastifyRequest): string | undefined {
  for (const pair of headers.cookie?.split(';') ?? []) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (name === SESSION_COOKIE && isSessionSecret(value)) return value;
  }
  return undefined;
}

/** The credential with which an authenticated request was sent: the key, otherwise the session. */
export function credentialOf(request: FastifyRequest): Credential {
  const key = bearer(request);
  if (key !== undefined) return key;
  const secret = sessionSecret(request);
  if (secret === undefined) throw new Error('a request without a key passed the access check');
  return sessionCredential(secret);
}

/** The facilities and devices for which the caller has the scope that the request needs. */
export const limitsOf = ({ caller, routeOptions, body }: FastifyRequest): Limits => {
  const { endpoint } = routeOptions.config;
  return limitsWith(caller, (endpoint && scopeOf(endpoint, body)) ?? 'read');
};

/** Refuses a device that the caller may not know of as not found; a device that the caller may read is refused as forbidden. */
export function refuseOutside(
  request: FastifyRequest,
  place: Place | undefined,
  /** The refusal is made only when it is needed, because every request about a device passes here. */
  notFound: () => Refusal,
): asserts place {
  if (place === undefined) throw notFound();
  if (canAccess(limitsOf(request), place)) return;
  if (!canAccess(limitsWith(request.caller, 'read'), place)) throw notFound();
  throw new Refusal('forbidden', `this key may not do that at the device "${place.deviceId}"`);
}

/** Refuses limited keys for requests that concern every site, because with them such a key could reach beyond its limits. */
export function refuseLimited(request: FastifyRequest, what: string): void {
  if (isUnlimited(limitsOf(request))) return;
  throw new Refusal('forbidden', `a key that is limited to sites or devices cannot ${what}`);
}
