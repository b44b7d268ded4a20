import { type Failure, packError, unpackError } from '@granary/store/sqlite/messages';

type Functions<T> = { readonly [Name in keyof T]: (...args: never[]) => unknown };
type Args<T, Name extends keyof T> = T[Name] extends (...args: infer A) => unknown ? A : never;
type Result<T, Name extends keyof T> = T[Name] extends (...args: never[]) => infer R ? Awaited<R> : never;

/** A message between two threads: a call, whose id is `null` when nobody waits for its result, or the answer to one. */
export type PortMessage =
  | { readonly call: string; readonly args: readonly unknown[]; readonly id: number | null }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly failure: Failure };

/** Calls functions of another thread, and lets it call those of this one, in the order of the calls. */
export class PortCalls<Remote extends Functions<Remote>> {
  readonly #own: Readonly<Record<string, (...args: unknown[]) => unknown>>;
  readonly #post: (message: PortMessage) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(own: object, post: (message: PortMessage) => void) {
    this.#own = own as Readonly<Record<string, (...args: unknown[]) => unknown>>;
    this.#post = post;
  }

  /** The call is sent before this returns; its result is not wanted. */
  tell<Name extends keyof Remote & string>(name: Name, ...args: Args<Remote, Name>): void {
    this.#post({ call: name, args, id: null });
  }

  /** The call is sent before this returns. */
  ask<Name extends keyof Remote & string>(
    name: Name,
    ...args: Args<Remote, Name>
  ): Promise<Result<Remote, Name>> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#post({ call: name, args, id });
    return waiting.promise as Promise<Result<Remote, Name>>;
  }

  /** Must be called with every message of the other thread. */
  receive(message: PortMessage): void {
    if ('call' in message) this.#run(message);
    else this.#settle(message);
  }

  /** Fails all calls whose answer will not come any more. */
  end(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #run({ call, args, id }: Extract<PortMessage, { readonly call: string }>): void {
    const succeed = (result: unknown): void => {
      if (id !== null) this.#post({ answer: id, result });
    };
    const fail = (error: unknown): void => {
      if (id !== null) this.#post({ answer: id, failure: packError(passable(error)) });
    };
    try {
      const result = this.#own[call]?.(...args);
      if (result instanceof Promise) result.then(succeed, fail);
      else succeed(result);
    } catch (error) {
      fail(error);
    }
  }

  #settle(message: Exclude<PortMessage, { readonly call: string }>): void {
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    if ('failure' in message) waiting?.reject(unpackError(message.failure));
    else waiting?.resolve(message.result);
  }
}

/** Not everything that is thrown can pass between threads; a fault must not become another one. */
export function passable(thrown: unknown): unknown {
  try {
    structuredClone(thrown);
    return thrown;
  } catch {
    return new Error(String(thrown));
  }
}
