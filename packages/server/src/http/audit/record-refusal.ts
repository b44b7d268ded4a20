import { within } from '@granary/common/within';
import { type Refusal, STATUS_OF } from '@granary/contract/errors';
import type { FastifyRequest } from 'fastify';
import { isUrgentNow } from '../access/urgency.ts';
import { timeLeftMs } from '../request-limit.ts';
import { draftAttempt } from './attempt.ts';
import type { RefusedAttempts } from './refused-attempts.ts';

/** After this time the answer is sent although the refusal is not entered yet. */
const ANSWER_DELAY_MS_MAX = 1_000;

/** Returns what the answer has to wait for, or `null`. */
export type RecordRefusal = (request: FastifyRequest, refusal: Refusal) => Promise<unknown> | null;

/** Enters every refused attempt at a change in the audit log. */
export const refusalRecorder =
  (refused: RefusedAttempts, now: () => number): RecordRefusal =>
  (request, refusal) => {
    const endpoint = request.routeOptions.config?.endpoint;
    if (endpoint === undefined || !endpoint.isAudited) return null;
    const entered = refused.enter(draftAttempt(request, endpoint, now()), refusal.code);
    const isUrgent = isUrgentNow(endpoint, request.body);
    return isUrgent || answersAtOnce(refusal)
      ? null
      : within(Math.min(ANSWER_DELAY_MS_MAX, timeLeftMs(request)), entered);
  };

/** A flood must not wait for the disk, and a storage that fails is not waited for. */
const answersAtOnce = ({ code }: Refusal): boolean => [401, 429, 503].includes(STATUS_OF[code]);
