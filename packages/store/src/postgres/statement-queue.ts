import { createHash } from 'node:crypto';
import type { ClientBase, CustomTypesConfig, QueryArrayResult } from 'pg';
import type { Value } from '../sql.ts';
import {
  type PreparedStatements,
  type Statement,
  StatementGroup,
  type StatementResult,
} from './statement-group.ts';
import { NUMBERS } from './types.ts';

/** Several statements without parameters in one text. */
interface Script extends Pick<Statement, 'text' | 'resolve' | 'reject'> {
  readonly values: null;
}

/** A connection, or a pool that provides one for each query. */
export interface Statements extends Pick<StatementQueue, 'run' | 'script' | 'post'> {
  /** Where calls share statements: as `run`, with the numbers of devices as a JSON array; the rows have the number at a position. */
  readonly runForDevices?: (
    text: string,
    deviceNos: readonly number[],
    deviceNoAt: number,
  ) => Promise<StatementResult>;
}

const NAMES_MAX = 1_000;

/**
 * The statements of one connection. Those that are given in the same turn of the event loop, or while others are under way, are sent
 * together: each message to the server and each answer costs both sides about as much as a simple statement itself.
 */
export class StatementQueue {
  readonly #client: ClientBase;
  readonly #types: CustomTypesConfig = NUMBERS;
  readonly #prepared: PreparedStatements = new Map();
  readonly #waiting: (Statement | Script)[] = [];
  #isBusy = false;
  #isPlanned = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(client: ClientBase) {
    this.#client = client;
  }

  /** The server plans the statement once per connection. */
  run(text: string, values: readonly Value[] = []): Promise<StatementResult> {
    const statement = { text, name: nameOf(text), values: values.map(bound) };
    return this.#add((resolve, reject) => ({ ...statement, resolve, reject }));
  }

  /** For statements that are rarely repeated. */
  script(text: string): Promise<StatementResult> {
    return this.#add((resolve, reject) => ({ text, values: null, resolve, reject }));
  }

  /** For a statement whose result nobody waits for: `takeFailure` tells whether it failed. */
  post(text: string, values?: readonly Value[]): void {
    this.run(text, values).catch(ignore);
  }

  /** The error of the first statement that failed since the last call; the statements after it only report that one has failed. */
  takeFailure(): { readonly error: unknown } | null {
    const failure = this.#failure;
    this.#failure = null;
    return failure;
  }

  /** Fails the statements that were not sent yet. */
  discard(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  #add(
    statementWith: (resolve: Statement['resolve'], reject: Statement['reject']) => Statement | Script,
  ): Promise<StatementResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
    const fail = (error: unknown): void => {
      this.#failure ??= { error };
      reject(error);
    };
    this.#waiting.push(statementWith(resolve, fail));
    this.#plan();
    return promise;
  }

  /** After everything that is ready to run now, because that may add statements. */
  #plan(): void {
    if (this.#isBusy || this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => process.nextTick(() => this.#send()));
  }

  #send(): void {
    this.#isPlanned = false;
    const [first] = this.#waiting;
    if (first === undefined) return;
    this.#isBusy = true;
    const ended = (): void => {
      this.#isBusy = false;
      if (this.#waiting.length > 0) this.#plan();
    };
    if (first.values === null) {
      this.#waiting.shift();
      this.#client
        .query({ text: first.text, rowMode: 'array' })
        .then((answer) => first.resolve(lastOf([answer].flat())))
        .catch(first.reject)
        .finally(ended);
      return;
    }
    const scriptAt = this.#waiting.findIndex(({ values }) => values === null);
    const together = this.#waiting.splice(0, scriptAt === -1 ? this.#waiting.length : scriptAt);
    this.#client.query(new StatementGroup(together as Statement[], this.#prepared, this.#types, ended));
  }
}

/** Of several statements in one text. */
function lastOf(answers: readonly QueryArrayResult[]): StatementResult {
  const { rows = [], rowCount = 0, command = '' } = answers.at(-1) ?? {};
  return { rows, rowCount: rowCount ?? 0, command };
}

const queues = new WeakMap<ClientBase, StatementQueue>();

export function queueOf(client: ClientBase): StatementQueue {
  let queue = queues.get(client);
  if (queue === undefined) {
    queue = new StatementQueue(client);
    queues.set(client, queue);
  }
  return queue;
}

const names = new Map<string, string>();

/** Of the statements in use; a few are made of their parameters, so their number is limited. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name !== undefined) return name;
  name = createHash('sha1').update(text).digest('base64url');
  if (names.size >= NAMES_MAX) names.clear();
  names.set(text, name);
  return name;
}

/** As it is sent. */
const bound = (value: Value): string | Buffer | null => {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
};

const ignore = (): void => undefined;
