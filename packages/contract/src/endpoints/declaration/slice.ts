import type { TSchema } from 'typebox';
import type { Endpoint } from './endpoint.ts';

export interface EndpointTree {
  readonly [name: string]: Endpoint | EndpointTree;
}

/** What the contract says about one slice of the service. */
export interface Slice {
  /** What the slice is about, for the references. */
  readonly description: string;
  /** The endpoints by the names that they have in the client. */
  readonly endpoints: EndpointTree;
  /** The schemas that have a name in the references; every other one is written where it is used. */
  readonly schemas?: Readonly<Record<string, TSchema>>;
  /** The closed lists of values and the limits that callers offer in forms, for `outline.ts`. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** The data of each of its kinds of change in the event log: the resource after the change, or the changed parts. */
  readonly events?: Readonly<Record<string, TSchema>>;
}
