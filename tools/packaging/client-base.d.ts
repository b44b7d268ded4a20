// The part of the client's types that is not made from the contract; packages.test.ts compares all of them with the sources.

export interface ClientOptions {
  readonly baseUrl: string;
  /** May be missing in a browser: then the session cookie of the signed-in user is used. */
  readonly apiKey?: string | undefined;
  /** The paths of the two device groups and the plant store, if they are not the default ones. */
  readonly siloSegment?: string;
  readonly fieldSegment?: string;
  readonly sandboxPath?: string;
  readonly fetch?: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * The time after which a call fails, including all its repetitions: 30 s unless given. While the service is unreachable or
   * busy, or limits this key, a call is repeated until then; 0 sends every call once.
   */
  readonly timeLimitMs?: number;
}

/** The last argument of every method. */
export interface CallOptions {
  /** Cancels the call, even while it waits to be repeated; the method then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** The time after which the call fails, with all its repetitions; 0 sends it once, with the usual limit for one answer. */
  readonly timeLimitMs?: number;
  /** Requests with the same key are carried out once and get the same answer; without one the client makes a key for each call. */
  readonly idempotencyKey?: string;
  /** The change is made only if the resource still has this version. */
  readonly ifMatch?: string;
  /** The person or program that asks for the change, for the audit log. */
  readonly actor?: string;
}

/** A part of a list; `next_cursor` is `null` in the last part. */
export interface Page<T> {
  readonly success: true;
  readonly data: readonly T[];
  readonly page: { readonly next_cursor: string | null };
}

export interface Versioned<Configuration> {
  readonly configuration: Configuration;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

export interface VersionedDevice<Detail> {
  readonly device: Detail;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

export interface ValidationIssue {
  readonly path: string;
  readonly message: string;
}

/** The known codes, `unexpected_answer` for an answer that no Granary service gives, and any code of a newer service. */
export type KnownOrNewerCode = ErrorCode | 'unexpected_answer' | (string & Record<never, never>);

interface ApiErrorFields {
  readonly status: number;
  readonly code: KnownOrNewerCode;
  readonly message: string;
  readonly details?: readonly ValidationIssue[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The service refused the request; `code` is stable, so programs can branch on it. */
export declare class ApiError extends Error {
  readonly status: number;
  readonly code: KnownOrNewerCode;
  readonly details: readonly ValidationIssue[];
  readonly requestId: string | undefined;
  /** The time after which the service asks to try again; `undefined` if it names none. */
  readonly retryAfterMs: number | undefined;
  /** An earlier attempt of the same call got no answer, so the change may have been made nevertheless. */
  readonly mayBeDone: boolean;
  constructor(fields: ApiErrorFields, options?: { readonly cause?: unknown; readonly mayBeDone?: boolean });
}

/** There was no answer: the service is down, at another address, or too slow. */
export declare class UnreachableError extends Error {
  /** The request may have been carried out; false for a call that only reads. */
  readonly mayBeDone: boolean;
  /** Sent again with this key, the request is carried out at most once. */
  readonly idempotencyKey: string | undefined;
  constructor(
    baseUrl: string,
    options: {
      readonly cause?: unknown;
      readonly mayBeDone?: boolean;
      readonly idempotencyKey?: string | undefined;
    },
  );
  /** There was no connection, so the request cannot have arrived. In a browser this is not known. */
  get isCertainlyUnsent(): boolean;
}

/** Returns a key of 128 random bits. */
export declare const newIdempotencyKey: () => string;

export interface StreamOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called when the stream is connected, and when the connection is lost. */
  readonly onConnection?: (change: ConnectionChange) => void;
  /** Called with the time of this machine when any data arrive, including a heartbeat. */
  readonly onHeard?: (atMs: number) => void;
  /** The longest wait before connecting again; it replaces the one that the service gives. */
  readonly reconnectMs?: number;
  /** A connection on which nothing arrives for this time, not even a heartbeat, is replaced. */
  readonly silenceMs?: number;
}

/** `failure` is missing if the service ended the stream, as it does when it stops. */
export type ConnectionChange =
  | { readonly isConnected: true }
  | { readonly isConnected: false; readonly failure: Error | undefined };

export interface EventFilter extends StreamOptions {
  readonly deviceIds?: readonly string[];
  readonly types?: readonly EventType[];
  /** Resume after this event; without it the stream begins with the next one. */
  readonly lastEventId?: number;
}

/** `reset` means that the events since the last one are no longer stored, so read the present state. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'reset'; readonly bounds: EventReset };

export interface ReadingsFilter extends StreamOptions {
  readonly deviceIds?: readonly string[];
  readonly facility?: string;
}

export interface EventsClient {
  /** Yields every event once, in order, across lost connections, until the signal aborts it or the service refuses. */
  stream(filter?: EventFilter): AsyncGenerator<StreamItem, void, undefined>;
}

export interface ReadingsClient {
  /**
   * Yields the newest values of the devices: first of all devices, in parts, then of those that have changed, at most once a
   * second. After a lost connection the stream begins again with all devices. Values that were replaced meanwhile are not
   * sent.
   */
  stream(filter?: ReadingsFilter): AsyncGenerator<NewestValues, void, undefined>;
}

/** An export is sent once: after a failure in the middle, begin again, or continue with `from` at the last row. */
export interface ExportsClient {
  /** Yields every raw reading of the selection in the order of time; throws if the answer is cut off. */
  readings(
    query?: Omit<ReadingsQuery, 'format'>,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<RawReading, void>;
  /** Yields the points of every device and sensor, one series after the other. */
  history(
    query?: Omit<HistoryExportQuery, 'format'>,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<HistoryRow, void>;
}

/** The answers have no envelope, and a service that is not ready also answers with its checks. */
export interface HealthClient {
  /** Says that the service runs. */
  live(options?: CallOptions): Promise<{ readonly status: string }>;
  /** Says whether the service can do its work, check by check. */
  ready(options?: CallOptions): Promise<Readiness>;
  /** The figures of the service, in the text format of Prometheus. */
  metrics(options?: CallOptions): Promise<string>;
}

/** The plant store sample; its ids have 64 bits, so they are bigints. */
export interface PlantsClient {
  create(plant: NewPlant, options?: CallOptions): Promise<Plant>;
  get(id: bigint, options?: CallOptions): Promise<NewPlant>;
}

export interface NewPlant extends Plant {
  id: bigint;
}

/** Connects to a service; nothing is sent before the first call. */
export declare function createClient(options: ClientOptions): Client;
