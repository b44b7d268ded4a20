import { hash } from 'node:crypto';
import { Refusal } from '@granary/contract/errors';
import type { Guard, Guarded } from '@granary/store/idempotency';
import type { GuardedSlices, Store } from '@granary/store/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { seal, unseal } from '../sealing.ts';
import { bearerOf } from './auth.ts';

const KEY = /^[\x20-\x7e]{1,255}$/;

type GuardedStore = Pick<Store, 'guarded'>;
type Write<Result> = (slices: GuardedSlices) => Promise<Guarded<Result>>;

export interface Outcome<Result> {
  readonly result: Result;
  /** It was done before: what goes with it must not be done again. */
  readonly replayed: boolean;
}

/** Carries out each request that has an `Idempotency-Key` once, and answers its repetitions like the first. */
export class Idempotency {
  readonly #store: GuardedStore;
  readonly #now: () => number;
  readonly #running = new Set<string>();

  constructor(store: GuardedStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  once<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    write: Write<Result>,
    store: GuardedStore = this.#store,
  ): Promise<Outcome<Result>> {
    return this.#run(request, reply, write, { store, secret: null });
  }

  /** For answers with a secret that nobody stores: a repetition gets the first one's. */
  async onceWithSecret<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    secret: string,
    write: Write<Result>,
  ): Promise<Outcome<Result> & { readonly secret: string }> {
    const { sealed, ...outcome } = await this.#run(request, reply, write, { store: this.#store, secret });
    if (!outcome.replayed || sealed === null) return { ...outcome, secret };
    return { ...outcome, secret: unseal(sealed, bearerOf(request)) };
  }

  async #run<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    write: Write<Result>,
    { store, secret }: { store: GuardedStore; secret: string | null },
  ): Promise<Guarded<Result>> {
    const key = readKey(request);
    if (key === null) return await write(store.guarded(null));
    const { keyId } = request.caller;
    const running = `${keyId} ${key}`;
    if (this.#running.has(running)) {
      throw new Refusal('idempotency_in_progress', 'a request with this Idempotency-Key is still running');
    }
    this.#running.add(running);
    try {
      const sealed = secret === null ? null : seal(secret, bearerOf(request));
      const guard: Guard = { keyId, key, fingerprint: fingerprintOf(request), nowMs: this.#now(), sealed };
      const guarded = await write(store.guarded(guard));
      if (guarded.replayed) reply.header('idempotency-replayed', 'true');
      return guarded;
    } finally {
      this.#running.delete(running);
    }
  }
}

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
