import type { App, RequestAccess } from '@granary/app/app';
import { REQUEST_MS_MAX, RequestTime, whileRequestLasts } from '@granary/common/request-time';
import { LATE } from '@granary/common/within';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import { Refusal } from '@granary/contract/errors';
import { outcomeUnknown } from '@granary/store/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUrgentNow } from './access/urgency.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the calls of a request share one time limit. */
    limitsRequests?: boolean;
  }
  interface FastifyRequest {
    /** How long the request waited until its caller was identified. */
    identifyingMs: number;
    /** The time of the request from the call of its handler on; `null` before that and for a request without a limit. */
    time: RequestTime | null;
  }
}

/** Must be called before the routes are registered. */
export function limitRequests(app: FastifyInstance, limitsRequests: boolean): void {
  app.decorate('limitsRequests', limitsRequests);
  app.decorateRequest('identifyingMs', 0);
  app.decorateRequest('time', null);
}

/**
 * Answers within the time of the request. A stop has shorter limits of its own, after which it is sent without the storage. The time
 * until the body has arrived is not counted, because it depends on the caller; it has a limit of its own.
 */
export async function answerInTime<T>(
  endpoint: Endpoint,
  request: FastifyRequest,
  answer: () => Promise<T>,
): Promise<T> {
  if (isUrgentNow(endpoint, request.body)) return await answer();
  const time = new RequestTime(REQUEST_MS_MAX - request.identifyingMs);
  request.time = time;
  try {
    return await answer();
  } catch (error) {
    const isUnavailable = error instanceof Refusal && error.code === 'storage_unavailable';
    // A write of the request is committed, so the answer must not say that nothing was changed.
    throw isUnavailable && time.hasChanged
      ? outcomeUnknown('a read after the write has failed', { cause: error })
      : error;
  } finally {
    time.answered();
  }
}

/** The time that is left after the handler has answered or refused. */
export const timeLeftMs = ({ time, identifyingMs }: FastifyRequest): number =>
  time?.leftToAnswerMs ?? Math.max(0, REQUEST_MS_MAX - identifyingMs);

/** The reads of a request, which fail when its time is over. */
export type Reads = (request: Pick<FastifyRequest, 'time'>) => RequestAccess['reads'];

export const readsOf =
  (app: Pick<App, 'within'>): Reads =>
  ({ time }) =>
    app.within(time).reads;

/** Waits for reads that requests share; refuses when the time of this request is over. */
export async function sharedRead<T>({ time }: FastifyRequest, reading: Promise<T>): Promise<T> {
  const result = await whileRequestLasts(time, reading);
  if (result !== LATE) return result;
  throw new Refusal('storage_unavailable', 'the storage does not answer');
}
