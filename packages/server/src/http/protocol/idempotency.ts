import { hash } from 'node:crypto';
import type { App, CallerResult, CallerWrites, IdempotentSlices } from '@granary/app/app';
import type { IdempotencyKey } from '@granary/app/idempotency';
import { Refusal } from '@granary/contract/errors';
import type { FastifyRequest } from 'fastify';
import { decryptSecret, encryptSecret } from '../../process/keys/secrets.ts';
import { credentialOf } from '../access/credentials.ts';
import { attemptToWrite } from '../audit/attempt.ts';
import type { Exchange } from '../exchange.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

type OnceWrites = Pick<CallerWrites, 'once'>;

interface IdempotentApp extends Pick<App, 'within'> {
  readonly urgent: OnceWrites;
}

type Write<Result> = (slices: IdempotentSlices) => Promise<CallerResult<Result>>;

/** The result of a request. If the request was carried out before (`replayed`), nothing may be done again. */
type Outcome<Result> = Omit<CallerResult<Result>, 'encryptedSecret'>;

/**
 * Carries out each request that has an `Idempotency-Key` once, and answers its repetitions like the first. Each change is
 * entered in the audit log.
 */
export class Idempotency {
  readonly #app: IdempotentApp;
  readonly #now: () => number;
  readonly #running = new Set<string>();

  constructor(app: IdempotentApp, now: () => number) {
    this.#app = app;
    this.#now = now;
  }

  once<Result>(exchange: Exchange, write: Write<Result>): Promise<Outcome<Result>> {
    return this.#run(exchange, write, { app: this.#app.within(exchange.request.time), secret: null });
  }

  /** Carries out a stop, which must not fail because its Idempotency-Key was used for another request. */
  async onceUrgently<Result>(exchange: Exchange, write: Write<Result>): Promise<Result> {
    const { urgent } = this.#app;
    try {
      return (await this.#run(exchange, write, { app: urgent, secret: null })).result;
    } catch (error) {
      if (!isAboutKey(error)) throw error;
      return (await write(urgent.once(null, attemptToWrite(exchange)))).result;
    }
  }

  /** Carries out a request whose answer has a secret that is not stored in clear text; a repetition gets the secret of the first answer. */
  async onceWithSecret<Result>(
    exchange: Exchange,
    secret: string,
    write: Write<Result>,
  ): Promise<Outcome<Result> & { readonly secret: string }> {
    const { encryptedSecret, ...outcome } = await this.#run(exchange, write, {
      app: this.#app.within(exchange.request.time),
      secret,
    });
    if (!outcome.replayed || encryptedSecret === null) return { ...outcome, secret };
    const first = decryptSecret(encryptedSecret, credentialOf(exchange.request));
    if (first !== null) return { ...outcome, secret: first };
    // Only the credential that sent the first request can decrypt its secret; a key and its sessions are different credentials.
    throw new Refusal(
      'idempotency_key_reused',
      'this request was carried out, and only the key or the session that sent it can get its secret again',
    );
  }

  async #run<Result>(
    exchange: Exchange,
    write: Write<Result>,
    { app, secret }: { app: OnceWrites; secret: string | null },
  ): Promise<CallerResult<Result>> {
    const { request, reply } = exchange;
    const key = readKey(request);
    const attempt = attemptToWrite(exchange);
    if (key === null) return await write(app.once(null, attempt));
    const { keyId } = request.caller;
    const running = `${keyId} ${key}`;
    if (this.#running.has(running)) {
      throw new Refusal('idempotency_in_progress', 'a request with this Idempotency-Key is still running');
    }
    this.#running.add(running);
    try {
      const encryptedSecret = secret === null ? null : encryptSecret(secret, credentialOf(exchange.request));
      const idempotencyKey: IdempotencyKey = {
        keyId,
        key,
        fingerprint: fingerprintOf(request),
        nowMs: this.#now(),
        encryptedSecret,
      };
      const once = await write(app.once(idempotencyKey, attempt));
      if (once.replayed) reply.header('idempotency-replayed', 'true');
      return once;
    } finally {
      this.#running.delete(running);
    }
  }
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['idempotency_key_reused', 'idempotency_in_progress', 'invalid_input'].includes(error.code);

function readKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new Refusal('invalid_input', 'the Idempotency-Key is not valid', [
    { path: '/idempotency-key', message: 'must be 1 to 255 printable characters' },
  ]);
}

const fingerprintOf = ({ method, url, body }: FastifyRequest): string =>
  hash('sha256', `${method} ${url}\n${JSON.stringify(body ?? null)}`, 'hex');
