import type { Attempt } from '@granary/app/audit/audit-rows';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request with what belongs to it, which its handler passes on. It is never changed: a handler that learns more makes another one. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Who asks for what, and who has confirmed it; `null` for a request that is not entered in the audit log. */
  readonly attempt: Attempt | null;
}

/** A request with its attempt. */
export type Attempted = Pick<Exchange, 'request' | 'attempt'>;
