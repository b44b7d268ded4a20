import { TLSSocket } from 'node:tls';
import { Refusal } from '@granary/contract/errors';
import type { FastifyRequest } from 'fastify';

type Headers = FastifyRequest['headers'];

/** Requests that browsers also send because of a link. */
const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * Browsers send the cookie with every request to this service, also for pages of others on the same host. So a request with
 * the cookie counts only if the browser says that a page of this service sent it.
 */
export function refusalOfForeignPage(request: FastifyRequest, publicUrl: string | null): Refusal | null {
  const isOwn = isOwnPage(request, publicUrl);
  return isOwn
    ? null
    : new Refusal(
        'cross_site_request',
        'this request was not sent by a page of this service, so the cookie of a session does not count',
      );
}

function isOwnPage(request: FastifyRequest, publicUrl: string | null): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers;
  // `none`: a person has entered the address, so no page has sent the request.
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isReading(request));
  // A browser that does not send this header names the page in `Origin`, except for requests that only read.
  return origin === undefined ? isReading(request) : isOwnOrigin(request, origin, publicUrl);
}

/** The check for sign-in, where programs send neither header. It prevents that a page of others signs a person in. */
export function refusalOfForeignSignIn(request: FastifyRequest, publicUrl: string | null): Refusal | null {
  const { 'sec-fetch-site': site, origin } = request.headers;
  return site === undefined && origin === undefined ? null : refusalOfForeignPage(request, publicUrl);
}

/** Whether the browser reached this service by TLS, also where a proxy ends it. */
export const isEncrypted = ({ headers, socket }: FastifyRequest): boolean =>
  socket instanceof TLSSocket || headers.origin?.startsWith('https://') === true;

/** Whether the page that the browser names is one of this service. */
function isOwnOrigin({ headers, socket }: FastifyRequest, origin: string, publicUrl: string | null): boolean {
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true;
  return origin === originOf(headers, socket instanceof TLSSocket ? 'https' : 'http');
}

/**
 * Whether a passkey may be made or used at an origin. Where the public address of the service is set, only that address counts,
 * because the sender of a request chooses its `Host`.
 */
export const isPasskeyOrigin = (headers: Headers, origin: string, publicUrl: string | null): boolean =>
  publicUrl === null
    ? namesThisService(headers, origin, null)
    : URL.canParse(origin) && new URL(origin).origin === new URL(publicUrl).origin;

/** Whether an origin names this service, with either scheme: some programs that are no browsers (paho) always write `https`. */
export const namesThisService = (headers: Headers, origin: string, publicUrl: string | null): boolean =>
  URL.canParse(origin) &&
  [publicUrl, originOf(headers, 'http'), originOf(headers, 'https')].some(
    (own) => own !== null && new URL(own).origin === new URL(origin).origin,
  );

/** The origin as a browser writes it, without the usual port. */
function originOf({ host }: Headers, scheme: 'http' | 'https'): string | null {
  const url = `${scheme}://${host}`;
  return host !== undefined && URL.canParse(url) ? new URL(url).origin : null;
}
