import type { CallerWrites, WriteSlices } from '@granary/app/app';
import type { FastifyRequest } from 'fastify';
import { attemptOf } from './attempt.ts';

/** The writes of a request that has no idempotency key, each of which is entered in the audit log. */
export type Changes = (request: FastifyRequest) => WriteSlices;

export const changesOf =
  (app: Pick<CallerWrites, 'audited'>): Changes =>
  (request) =>
    app.audited(attemptOf(request));
