const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** The trace id of a W3C `traceparent` header; `undefined` for everything that is none. */
export function traceIdOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
}
