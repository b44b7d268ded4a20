import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import type { EndpointOutline, OutlineTree } from '@granary/contract/endpoints/declaration/outline';
import { fillPath, type PathNames, parameterNames } from '@granary/contract/endpoints/declaration/paths';
import { isUrgentBody } from '@granary/contract/endpoints/declaration/urgent-body';
import type { Page, Success } from '@granary/contract/envelope';
import type { Transport } from './requests/transport.ts';
import {
  type Call,
  type CallOptions,
  IDEMPOTENCY_KEY,
  newIdempotencyKey,
  type Query,
} from './requests/transport.ts';

type Arguments = readonly unknown[];
type AnyMethod = (...args: Arguments) => unknown;

/**
 * Builds the methods of endpoints: first the parameters of the path, then body, query and options. The outlines say how the
 * endpoints are called, and `Endpoints` is the type of their declarations.
 */
export function derive<Endpoints>(
  outlines: OutlineTree,
  transport: Transport,
  roots: GroupRoots,
): Methods<Endpoints> {
  const methods: Record<string, AnyMethod | object> = {};
  for (const [name, endpoint] of Object.entries(outlines)) {
    if (!isEndpoint(endpoint)) {
      methods[name] = derive(endpoint, transport, roots);
      continue;
    }
    const call = (args: Arguments): Call => callOf(endpoint, roots, args);
    if (endpoint.isPage !== true) {
      methods[name] = async (...args) => await transport.data(call(args));
      continue;
    }
    const count = parameterNames(endpoint.path).length;
    methods[name] = async (...args) => await transport.page(call(args));
    methods[`${name}All`] = (...args) => {
      const [filter, options] = args.slice(count) as [Query?, CallOptions?];
      const ids = args.slice(0, count);
      return everyItem((page) => transport.page(call([...ids, { ...filter, ...page }, options])));
    };
  }
  return methods as Methods<Endpoints>;
}

const isEndpoint = (node: EndpointOutline | OutlineTree): node is EndpointOutline =>
  typeof node['method'] === 'string';

export function callOf(endpoint: EndpointOutline, roots: GroupRoots, args: Arguments): Call {
  const { group, method, path, isUrgent = false, hasBody, hasQuery } = endpoint;
  const names = parameterNames(path);
  const parameters = Object.fromEntries(names.map((name, index) => [name, String(args[index])]));
  const rest = args.slice(names.length);
  const sentBody = hasBody !== true ? undefined : (rest.shift() ?? {});
  const sentQuery = hasQuery !== true ? undefined : (rest.shift() as Query | undefined);
  const options = (rest.shift() ?? {}) as CallOptions;
  return {
    method,
    path: roots[group] + fillPath(path, parameters),
    isUrgent: typeof isUrgent === 'boolean' ? isUrgent : isUrgentBody(isUrgent, sentBody),
    ...(sentBody === undefined ? {} : { body: sentBody }),
    ...(sentQuery === undefined ? {} : { query: sentQuery }),
    headers: headersOf(endpoint, options),
    options,
  };
}

function headersOf(
  { hasIdempotencyKey, isUrgent }: EndpointOutline,
  { idempotencyKey, ifMatch, actor, confirmation }: CallOptions,
): Readonly<Record<string, string>> {
  // Each repetition of a stop of an operation is carried out again, so it gets no key; an emergency stop gets one, as every command.
  const needsKey = hasIdempotencyKey === true && isUrgent !== true;
  const key = idempotencyKey ?? (needsKey ? newIdempotencyKey() : undefined);
  return {
    ...(key === undefined ? {} : { [IDEMPOTENCY_KEY]: key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(confirmation === undefined ? {} : { 'x-confirmation': confirmation }),
    ...(actor === undefined ? {} : { 'x-actor': headerBytes(actor) }),
  };
}

/** A header holds one character for each byte, and the name is sent in UTF-8. */
const headerBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));

/** Numbers are converted to text, because the query of an address is text. */
type QueryArgument<Query> = {
  readonly [Name in keyof Query]?: Name extends 'limit' ? Query[Name] | number : Query[Name];
};

/** The arguments of a method have one entry for each parameter of the path. */
type PathArguments<Names extends readonly unknown[]> = Names extends []
  ? []
  : Names extends [unknown]
    ? [id: string]
    : [deviceId: string, id: string];

/** The body may be omitted if all its fields are optional. */
type BodyArguments<Body> = [Body] extends [undefined]
  ? []
  : Record<never, never> extends Body
    ? [body?: Body]
    : [body: Body];

type QueryArguments<Query> = [Query] extends [undefined] ? [] : [query?: QueryArgument<Query>];

/** The data of the envelope; for a list the whole page, because it has the cursor. */
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

/** The method iterates over every item of all pages; `limit` is the size of a page. */
type MethodForAll<Path extends string, Query, Item> = (
  ...args: [
    ...PathArguments<PathNames<Path>>,
    filter?: QueryArgument<Omit<Query, 'cursor'>>,
    options?: CallOptions,
  ]
) => AsyncGenerator<Item, void, undefined>;

/** A method for each endpoint, and one more for each list. */
type Methods<Endpoints> = {
  readonly [Name in keyof Endpoints]: Endpoints[Name] extends Endpoint<
    infer Path,
    infer Query,
    infer Body,
    infer Result
  >
    ? Method<Path, Query, Body, Result>
    : Methods<Endpoints[Name]>;
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

interface PageRequest {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Iterates over all pages of a list. */
async function* everyItem<T>(
  list: (request: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list(cursor === null ? {} : { cursor });
    yield* page.data;
    cursor = page.page.next_cursor;
  } while (cursor !== null);
}
