import { type PackedError, packError, unpackError } from '@granary/contract/errors';

type Fn = (...args: never[]) => unknown;

/** For each function of another thread: whether its result is waited for. A function without a result is told. */
export type CallKinds<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (...args: never[]) => infer Result
    ? Result extends void
      ? 'told'
      : 'told' | 'asked'
    : never;
};

/** The functions of another thread as they are called here. */
export type Remote<Functions, Kinds> = {
  readonly [Name in keyof Functions & keyof Kinds]: Functions[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Kinds[Name] extends 'asked' ? Promise<Awaited<Result>> : void
    : never;
};

/** A message between two threads: a call, whose id is `null` when nobody waits for its result, or the answer to one. */
export type PortMessage =
  | { readonly call: string; readonly args: readonly unknown[]; readonly id: number | null }
  | { readonly answer: number; readonly result: unknown }
  | { readonly answer: number; readonly failure: PackedError };

/** Calls functions of another thread, and lets it call those of this one, in the order of the calls. */
export class PortCalls<Functions, Kinds extends CallKinds<Functions>> {
  /** Each call is sent before it returns. */
  readonly remote: Remote<Functions, Kinds>;
  readonly #post: (message: PortMessage) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(kinds: Kinds, post: (message: PortMessage) => void) {
    this.#post = post;
    this.remote = Object.fromEntries(
      Object.entries(kinds).map(([name, kind]) => [
        name,
        kind === 'asked'
          ? (...args: readonly unknown[]) => this.#ask(name, args)
          : (...args: readonly unknown[]) => void post({ call: name, args, id: null }),
      ]),
    ) as unknown as Remote<Functions, Kinds>;
  }

  /** Must be called with every message of the other thread; a call runs on the first of these objects that has the function. */
  receive(message: PortMessage, own: readonly object[]): void {
    if ('call' in message) this.#run(message, own);
    else this.#settle(message);
  }

  /** Fails all calls whose answer will not come any more. */
  end(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #ask(call: string, args: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#post({ call, args, id });
    return waiting.promise;
  }

  #run({ call, args, id }: Extract<PortMessage, { readonly call: string }>, own: readonly object[]): void {
    const succeed = (result: unknown): void => {
      if (id !== null) this.#post({ answer: id, result });
    };
    const fail = (error: unknown): void => {
      if (id !== null) this.#post({ answer: id, failure: packError(passable(error)) });
    };
    try {
      const owner = own.find((one) => call in one) as Readonly<Record<string, Fn>> | undefined;
      const result = owner?.[call]?.(...(args as never[]));
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
