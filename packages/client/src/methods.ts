import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { PathNames } from '@granary/contract/endpoints/declaration/parameters';
import type { Page, Success } from '@granary/contract/envelope';
import type { CallOptions } from './requests/call.ts';

/** Numbers are converted to text, because the query of an address is text. */
export type QueryArgument<Query> = {
  readonly [Name in keyof Query]?: Name extends 'limit' ? Query[Name] | number : Query[Name];
};

/** One argument for each parameter of the path. */
type PathArguments<Names extends readonly unknown[]> = Names extends []
  ? []
  : Names extends [unknown]
    ? [id: string]
    : [deviceId: string, id: string];

/** The body may be omitted where all its fields are optional. */
type BodyArguments<Body> = [Body] extends [undefined]
  ? []
  : Record<never, never> extends Body
    ? [body?: Body]
    : [body: Body];

type QueryArguments<Query> = [Query] extends [undefined] ? [] : [query?: QueryArgument<Query>];

/** The data of the envelope; for a list the whole page, because of its cursor. */
type Unwrapped<Result> =
  Result extends Page<infer Item> ? Page<Item> : Result extends Success<infer Data> ? Data : Result;

type Method<Path extends string, Query, Body, Result> = (
  ...args: [
    ...PathArguments<PathNames<Path>>,
    ...BodyArguments<Body>,
    ...QueryArguments<Query>,
    options?: CallOptions,
  ]
) => Promise<Unwrapped<Result>>;

/** Iterates over every item of all pages; `limit` is the size of a page. */
type MethodForAll<Path extends string, Query, Item> = (
  ...args: [
    ...PathArguments<PathNames<Path>>,
    filter?: QueryArgument<Omit<Query, 'cursor'>>,
    options?: CallOptions,
  ]
) => AsyncGenerator<Item, void, undefined>;

/** A method for each endpoint, and one more for each list. */
export type Methods<Endpoints> = {
  readonly [Name in keyof Endpoints]: Endpoints[Name] extends Endpoint<
    infer Path,
    infer Query,
    infer Body,
    infer Result
  >
    ? Method<Path, Query, Body, Result>
    : never;
} & {
  readonly [Name in keyof Endpoints & string as Endpoints[Name] extends Endpoint<
    string,
    infer _Query,
    infer _Body,
    Page<unknown>
  >
    ? `${Name}All`
    : never]: Endpoints[Name] extends Endpoint<infer Path, infer Query, infer _Body, Page<infer Item>>
    ? MethodForAll<Path, Query, Item>
    : never;
};
