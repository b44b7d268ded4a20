import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { fillPath, parameterNames } from '@granary/contract/endpoints/declaration/parameters';
import type { CallOptions, Methods } from './methods.ts';
import { everyItem } from './pages.ts';
import type { Call, Query, Transport } from './transport.ts';

type Arguments = readonly unknown[];
type AnyMethod = (...args: Arguments) => unknown;

/** Builds the methods of endpoints: first the parameters of the path, then the body or the query. */
export function derive<Endpoints extends Readonly<Record<string, Endpoint>>>(
  endpoints: Endpoints,
  transport: Transport,
  roots: GroupRoots,
): Methods<Endpoints> {
  const methods: Record<string, AnyMethod> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const call = (args: Arguments): Call => callOf(endpoint, roots, args);
    if (endpoint.answers[200].envelope !== 'page') {
      methods[name] = (...args) => transport.data(call(args));
      continue;
    }
    const count = parameterNames(endpoint.path).length;
    methods[name] = (...args) => transport.page(call(args));
    methods[`${name}All`] = (...args) => {
      const [ids, filter] = [args.slice(0, count), args[count] as Query | undefined];
      return everyItem((page) => transport.page(call([...ids, { ...filter, ...page }])));
    };
  }
  return methods as Methods<Endpoints>;
}

export function callOf(endpoint: Endpoint, roots: GroupRoots, args: Arguments): Call {
  const { group, method, path, query, body } = endpoint;
  const names = parameterNames(path);
  const parameters = Object.fromEntries(names.map((name, index) => [name, String(args[index])]));
  const [first, ...more] = args.slice(names.length);
  const takesInput = body !== null || query !== null;
  const options = (takesInput ? more[0] : first) as CallOptions | undefined;
  const input = body === null ? { query: (first ?? {}) as Query } : { body: first ?? {} };
  return {
    method,
    path: roots[group] + fillPath(path, parameters),
    ...(takesInput ? input : {}),
    headers: headersOf(options),
  };
}

function headersOf({ idempotencyKey, ifMatch, actor }: CallOptions = {}): Readonly<Record<string, string>> {
  return {
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(actor === undefined ? {} : { 'x-actor': headerBytes(actor) }),
  };
}

/** A header holds one character for each byte, and the name is sent in UTF-8. */
const headerBytes = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
