import type { ErrorBody } from '@granary/contract/errors';
import type { PlantError } from '@granary/contract/plants';
import { ApiError } from '../failures.ts';
import type { Call } from './call.ts';
import { retryAfterMs } from './retry-policy.ts';

/** The shape of the answer is not checked here, so that fields and values of a newer service reach the caller. */
export function parseAnswer<T>(response: Response, text: string): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unexpectedAnswer(response, 'something that is not JSON', cause);
  }
}

export function unexpectedAnswer(response: Response, what: string, cause?: unknown): ApiError {
  const { status, headers, url } = response;
  const message = `${URL.canParse(url) ? new URL(url).origin : 'the service'} answered ${status} with ${what}; is this a Granary service?`;
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now());
  return new ApiError({ status, code: 'unexpected_answer', message, retryAfterMs: waitMs }, { cause });
}

/** The error of an answer that is not a success. */
export function refusalOf(call: Call, response: Response, text: string): ApiError {
  const { status, headers } = response;
  const body = parseAnswer<Partial<ErrorBody> | PlantError | null>(response, text);
  const requestId = headers.get('x-request-id') ?? undefined;
  if (isPlantError(body)) {
    return new ApiError({ status, code: String(body.error), message: body.message, requestId });
  }
  const error = body?.error;
  const code = error?.code ?? 'unexpected_answer';
  const message = error?.message ?? `answered ${status} without saying why`;
  return new ApiError({
    status,
    code,
    details: error?.details,
    requestId: error?.request_id ?? requestId,
    message: isUnknownEndpoint(code) ? `${message}; ${hintOf(call)}` : message,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()),
  });
}

const isUnknownEndpoint = (code: string): boolean =>
  code === 'route_not_found' || code === 'method_not_allowed';

const hintOf = ({ method, path }: Call): string =>
  `the service does not offer ${method} ${path}: it is older than this client, or its addresses are other ones`;

/** The plant store has its own error body, with a number instead of a code. */
const isPlantError = (body: Partial<ErrorBody> | PlantError | null): body is PlantError =>
  typeof body?.error === 'number';
