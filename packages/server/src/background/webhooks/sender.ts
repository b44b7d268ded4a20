import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { SECOND_MS } from '@granary/contract/time';
import type { AttemptOutcome } from '@granary/core/webhooks/attempts';
import { type AddressGuard, AddressRefused } from './address-guard.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** The time for one attempt, from the look-up of the name to the end of the answer. */
export const ATTEMPT_MS_MAX = 15 * SECOND_MS;
/** Only the status of an answer counts, so the rest of a longer one is not read. */
const ANSWER_BYTES_MAX = 64 * 1024;
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection without an answer',
  EHOSTUNREACH: 'the receiver cannot be reached',
  ENETUNREACH: 'the receiver cannot be reached',
  ETIMEDOUT: 'the receiver cannot be reached',
  ENOTFOUND: 'the name of the receiver is not known',
  EAI_AGAIN: 'the name of the receiver cannot be looked up',
};

export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

interface SignedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** The headers of Standard Webhooks, with one signature for each secret. */
export function signatureHeaders({ messageId, body, secrets, nowMs }: SignedMessage) {
  const timestamp = String(Math.floor(nowMs / SECOND_MS));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Sends one message to its receiver. A redirect is an answer like any other and is not followed. */
export class WebhookSender {
  readonly #guard: AddressGuard;
  readonly #attemptMs: number;
  readonly #now: () => number;
  /** The sender has agents of its own, because the global ones may use a proxy of the environment, which would evade the guard. */
  readonly #httpAgent = new http.Agent({ keepAlive: false });
  readonly #httpsAgent = new https.Agent({ keepAlive: false });

  constructor(guard: AddressGuard, attemptMs: number, now: () => number) {
    this.#now = now;
    this.#guard = guard;
    this.#attemptMs = attemptMs;
  }

  /** The promise never rejects. When the signal is aborted, the outcome is a failure that the caller does not record. */
  send({ url: text, headers, body }: WebhookRequest, signal: AbortSignal): Promise<AttemptOutcome> {
    const url = new URL(text);
    // A literal address is connected to without a look-up.
    if (!this.#guard.acceptsHost(url.hostname)) {
      return Promise.resolve({ kind: 'failed', error: new AddressRefused().message });
    }
    const options = {
      method: 'POST',
      lookup: this.#guard.lookup,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'granary-webhooks',
        ...headers,
        'content-length': Buffer.byteLength(body),
      },
    };
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, agent: this.#httpsAgent, rejectUnauthorized: true })
        : http.request(url, { ...options, agent: this.#httpAgent });
    return new Promise((resolve) => {
      let answer: AttemptOutcome | null = null;
      const finish = (error: string): void => {
        clearTimeout(timer);
        resolve(answer ?? { kind: 'failed', error });
        request.destroy();
      };
      const late = `no answer within ${this.#attemptMs / SECOND_MS} s`;
      const timer = setTimeout(() => finish(late), this.#attemptMs);
      request.on('error', (error) => finish(explain(error)));
      request.on('response', (response) => {
        answer = answerOf(response, this.#now());
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > ANSWER_BYTES_MAX) finish('');
        });
        response.on('error', () => finish(''));
        response.on('close', () => finish(''));
      });
      request.end(body);
    });
  }
}

const answerOf = ({ statusCode = 0, headers }: IncomingMessage, nowMs: number): AttemptOutcome => ({
  kind: 'answered',
  status: statusCode,
  retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
});

function retryAfterMs(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

/** Replaces the error texts of Node, whose addresses would tell a caller what the names of the site resolve to. */
function explain(error: Error): string {
  if (error instanceof AddressRefused) return error.message;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (/CERT|SIGNATURE/.test(code)) return `the certificate of the receiver is not valid (${code})`;
  return REASONS[code] ?? `the message could not be sent (${code})`;
}
