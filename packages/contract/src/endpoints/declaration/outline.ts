import type { Endpoint, Method } from './endpoint.ts';
import type { GroupName } from './groups.ts';

/** What a caller needs of an endpoint: how it is called, without its schemas, texts and examples. */
export interface EndpointOutline {
  readonly group: GroupName;
  readonly method: Method;
  readonly path: string;
  readonly isUrgent?: Endpoint['isUrgent'];
  readonly hasQuery?: boolean;
  readonly hasBody?: boolean;
  readonly hasIdempotencyKey?: boolean;
  /** Whether the answer is a part of a list. */
  readonly isPage?: boolean;
}

export interface OutlineTree {
  readonly [name: string]: EndpointOutline | OutlineTree;
}
