import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, Refusal, STATUS_OF } from '@granary/contract/errors';
import { errorBody } from './error-map.ts';

type RequestIds = () => string;

/** Errors of the HTTP parser before there is a request; every other parser error is `malformed_request`. */
const REFUSAL_OF_PARSER: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'the address and the headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['body_too_large', 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

interface ParserError extends Error {
  readonly code?: string;
}

interface AnsweringSocket extends Socket {
  /** The answer that is currently written on this connection. */
  readonly _httpMessage?: ServerResponse | null;
}

/** Answers requests that never reach the router with the usual error body, and closes the connection. */
export function clientErrorHandler(nextRequestId: RequestIds) {
  return (error: ParserError, socket: AnsweringSocket): void => {
    const isBeingAnswered = socket._httpMessage?.headersSent === true;
    if (error.code === 'ECONNRESET' || !socket.writable || isBeingAnswered) {
      socket.destroy();
      return;
    }
    const [code, message] = REFUSAL_OF_PARSER[error.code ?? ''] ?? [
      'malformed_request',
      'the request is not valid HTTP/1.1',
    ];
    answerAndClose(socket, new Refusal(code, message), nextRequestId());
  };
}

/** By default Node answers these two with an empty body, or closes the connection without an answer. */
export function answerOddRequests(server: Server, nextRequestId: RequestIds): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const refusal = new Refusal('expectation_failed', 'only the expectation 100-continue can be met');
    const requestId = nextRequestId();
    const body = JSON.stringify(errorBody(refusal, requestId));
    response.writeHead(STATUS_OF[refusal.code], Object.fromEntries(headersOf(requestId, body)));
    response.end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerAndClose(socket, new Refusal('method_not_allowed', 'this is not a proxy'), nextRequestId());
  });
}

const headersOf = (requestId: string, body: string): [string, string][] => [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Request-Id', requestId],
  ['Connection', 'close'],
  ['Content-Length', String(Buffer.byteLength(body))],
];

export function answerAndClose(socket: Socket, refusal: Refusal, requestId: string): void {
  const status: number = STATUS_OF[refusal.code];
  const body = JSON.stringify(errorBody(refusal, requestId));
  const headers = headersOf(requestId, body);
  if (status === 405) headers.push(['Allow', '']);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`, () => socket.destroy());
}
