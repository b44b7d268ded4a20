import { type EventLoop, Turns } from '@granary/common/turn-queue';
import { Refusal } from '@granary/contract/errors';
import type { FastifyRequest } from 'fastify';
import { callerNetwork } from './caller-address.ts';

declare module 'fastify' {
  interface FastifyInstance {
    turns: RequestTurns;
  }
}

/** While connections are accepted one after the other, requests wait at most this long; then they have a turn. */
export const ACCEPTING_MS_MAX = 25;
/** The number of writes and long answers that are worked on at once. Writes that the storage completes together are answered in one turn. */
export const PLACES_MAX = 32;
export const PLACES_PER_CALLER_MAX = 16;
/** A caller always gets this many places, even when other callers have taken all of them. */
export const PLACES_ALWAYS = 2;
/** The number of requests that may wait until they are worked on; one more is refused. */
export const WAITING_MAX = 1_000;
/** The number of requests of one caller that may wait: as many as a key may send in one burst with the default rate limit. */
export const WAITING_PER_CALLER_MAX = 200;
/** This many requests of a caller may always wait, even when other callers have taken all room. */
export const WAITING_ALWAYS = 16;

interface Waiting {
  readonly takesPlace: boolean;
  readonly resolve: () => void;
}

interface CallerTurns {
  places: number;
  /** Further parts of answers that were begun. They come before new requests, so that few answers are half made. */
  readonly parts: Waiting[];
  readonly requests: Waiting[];
}

/**
 * Divides the work on requests between the turns of the event loop and between callers. Stops are not part of this: a stop is worked on
 * when it arrives, which is after one turn at most. A caller is an API key, or an address where no key is needed.
 */
export class RequestTurns {
  readonly #turns: Turns;
  /** The callers that have places or waiting requests; the first of them is the next one. */
  readonly #callers = new Map<string, CallerTurns>();
  #places = 0;
  #waiting = 0;
  /** The time since which each turn has accepted a connection; `null` if the last turn accepted none. */
  #acceptingSinceMs: number | null = null;
  #hasAccepted = false;

  constructor(loop?: EventLoop) {
    const isHeld = () => this.#isAccepting();
    this.#turns = new Turns(() => this.#next(), loop === undefined ? { isHeld } : { isHeld, loop });
  }

  get figures() {
    return { places: this.#places, waiting: this.#waiting };
  }

  /** Whether a request waits, or a write or a long answer is not complete yet. */
  get isBusy(): boolean {
    return this.#waiting > 0 || this.#places > 0;
  }

  /**
   * Must be called with each connection. Node accepts one connection of a socket in a turn, so a stop on a new connection would wait for
   * as many full turns as connections came before it. Therefore no requests are worked on until all connections are accepted.
   */
  accepted(): void {
    this.#hasAccepted = true;
    this.#acceptingSinceMs ??= this.#turns.loop.nowMs();
    this.#turns.begin();
  }

  /** Works on a request when it is its turn, or refuses it because too many wait. */
  run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    return this.#canBegin(this.#callers.get(caller)) ? work() : this.#afterWaiting(caller, work);
  }

  /** Works on a write or a long answer in the same way; it needs a place until it is complete. */
  async runInPlace<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turnsOf(caller);
    if (this.#hasPlace(turns) && this.#canBegin(turns)) this.#takePlace(turns);
    else await this.#wait(turns, true);
    try {
      return await work();
    } finally {
      turns.places--;
      this.#places--;
      this.#forgetIdle(caller, turns);
      // Others may wait for the place.
      if (this.#waiting > 0) this.#hasTime();
    }
  }

  /** Must be called between two parts of a long answer, each of which must be short. Resolves at once while the turn has time left. */
  async nextPart(caller: string): Promise<void> {
    if (this.#hasTime()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turnsOf(caller).parts.push({ takesPlace: false, resolve });
    this.#waiting++;
    await promise;
  }

  async #afterWaiting<T>(caller: string, work: () => Promise<T>): Promise<T> {
    await this.#wait(this.#turnsOf(caller), false);
    return await work();
  }

  #turnsOf(caller: string): CallerTurns {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    const turns: CallerTurns = { places: 0, parts: [], requests: [] };
    this.#callers.set(caller, turns);
    return turns;
  }

  #forgetIdle(caller: string, turns: CallerTurns): void {
    if (turns.places === 0 && nextOf(turns) === undefined) this.#callers.delete(caller);
  }

  #canBegin(turns: CallerTurns | undefined): boolean {
    return (turns === undefined || nextOf(turns) === undefined) && this.#hasTime();
  }

  #hasPlace({ places }: CallerTurns): boolean {
    return places < (this.#places < PLACES_MAX ? PLACES_PER_CALLER_MAX : PLACES_ALWAYS);
  }

  #takePlace(turns: CallerTurns): void {
    turns.places++;
    this.#places++;
  }

  #hasTime(): boolean {
    return this.#turns.hasTime() && this.#acceptingSinceMs === null;
  }

  async #wait({ requests }: CallerTurns, takesPlace: boolean): Promise<void> {
    const isFull = this.#waiting >= WAITING_MAX && requests.length >= WAITING_ALWAYS;
    if (isFull || requests.length >= WAITING_PER_CALLER_MAX) {
      throw new Refusal('rate_limited', 'too many requests of this caller wait already; send fewer at once');
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    requests.push({ takesPlace, resolve });
    this.#waiting++;
    await promise;
  }

  #isAccepting(): boolean {
    const sinceMs = this.#acceptingSinceMs;
    const hasAccepted = this.#hasAccepted;
    this.#hasAccepted = false;
    if (sinceMs === null) return false;
    if (hasAccepted && this.#turns.loop.nowMs() - sinceMs < ACCEPTING_MS_MAX) return true;
    this.#acceptingSinceMs = null;
    return false;
  }

  /** One request or one part of an answer. */
  #next(): (() => void) | undefined {
    const found = this.#acceptingSinceMs === null ? this.#nextCaller() : undefined;
    return found && (() => this.#serve(...found));
  }

  #serve(caller: string, turns: CallerTurns): void {
    const next = turns.parts.shift() ?? turns.requests.shift();
    if (next === undefined) return;
    this.#waiting--;
    if (next.takesPlace) this.#takePlace(turns);
    // The caller becomes the last one in the next round.
    this.#callers.delete(caller);
    this.#callers.set(caller, turns);
    this.#forgetIdle(caller, turns);
    next.resolve();
  }

  #nextCaller(): [caller: string, turns: CallerTurns] | undefined {
    if (this.#waiting === 0) return undefined;
    for (const [caller, turns] of this.#callers) {
      const next = nextOf(turns);
      if (next !== undefined && (!next.takesPlace || this.#hasPlace(turns))) return [caller, turns];
    }
    return undefined;
  }
}

const nextOf = ({ parts, requests }: CallerTurns): Waiting | undefined => parts[0] ?? requests[0];

/** The caller of a request: the API key, or the address where no key is needed. */
export const callerOf = (request: FastifyRequest): string =>
  // Routes that need no key have no caller.
  (request as Partial<FastifyRequest>).caller?.keyId ?? callerNetwork(request.address);

/** Must be called between two parts of a long answer, so that stops and the requests of other callers come between them. */
export const nextPart = (request: FastifyRequest): Promise<void> =>
  request.server.turns.nextPart(callerOf(request));
