import { Refusal } from '@granary/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const tag = (reply: FastifyReply, version: number): void => void reply.header('etag', `"${version}"`);

/** An ETag of another form cannot be current; 0 is never a version. */
const NEVER_CURRENT = 0;

/** The version in `If-Match`; `undefined` when the caller accepts any. */
export function expectedVersion({ headers }: FastifyRequest): number | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (!/^(W\/)?"[^"]*"$/.test(header)) {
    throw new Refusal('invalid_input', 'If-Match must hold an entity tag', [
      { path: '/if-match', message: 'must be * or one quoted entity tag' },
    ]);
  }
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  return version === undefined ? NEVER_CURRENT : Number(version);
}
