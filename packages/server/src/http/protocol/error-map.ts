import { type ErrorBody, Refusal, refusalMessage, STATUS_OF } from '@granary/contract/errors';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, traceIdOf } from '../../process/logging/logger.ts';
import type { RecordRefusal } from '../audit/refused-attempts.ts';

const RETRY_AFTER_S = 5;

/** Errors that the HTTP library detects before a route runs. */
const REFUSAL_OF_LIBRARY: Record<string, () => Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal('body_too_large', 'the body is larger than 1 MiB'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new Refusal('unsupported_media_type', 'send application/json'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new Refusal('malformed_json', 'the body is not as long as announced'),
  FST_ERR_BAD_URL: () => new Refusal('invalid_input', 'the address cannot be decoded'),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new Refusal('route_not_found', 'a part of the address is longer than anything here is called'),
};

function asRefusal(error: FastifyError | Error): Refusal | null {
  if (error instanceof Refusal) return error;
  const code = 'code' in error ? REFUSAL_OF_LIBRARY[error.code] : undefined;
  if (code !== undefined) return code();
  const isClientFault = 'statusCode' in error && error.statusCode === 400;
  return isClientFault ? new Refusal('malformed_json', 'the request cannot be read') : null;
}

export function errorBody(refusal: Refusal, requestId: string): ErrorBody {
  const { code, details } = refusal;
  const error = {
    code,
    ...refusalMessage(refusal),
    ...(details === undefined ? {} : { details }),
    request_id: requestId,
  };
  return { success: false, error };
}

/** Builds the body of a refusal; its code determines the status. */
export type Answerer = (
  refusal: Refusal,
  status: number,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

export const answerError: Answerer = (refusal, status, request, reply) => {
  reply.code(status).send(errorBody(refusal, request.id));
};

/** A refusal is only answered, and entered in the audit log; a fault of the service is also logged as an error. */
export function errorHandler(logger: Logger, answer: Answerer, record: RecordRefusal) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    let refusal = asRefusal(error);
    if (refusal === null) {
      const context = {
        request_id: request.id,
        trace_id: traceIdOf(request.headers['traceparent']),
        err: error,
      };
      logger.error(context, `${request.method} ${request.routeOptions.url ?? ''} failed`);
      refusal = new Refusal(
        'internal_error',
        'something went wrong here; the request id helps to find out what',
      );
    }
    const status: number = STATUS_OF[refusal.code];
    // These headers belong to the answer that is not given.
    for (const header of ['idempotency-replayed', 'etag']) reply.removeHeader(header);
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    const isForNow = status === 429 || status === 503;
    if (isForNow && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_S);
    const entered = record(request, refusal);
    if (entered === null) answer(refusal, status, request, reply);
    else void entered.then(() => answer(refusal, status, request, reply));
  };
}
