import { createHash } from 'node:crypto';
import { TurnQueue } from '@granary/common/turn-queue';
import type { ClientBase, Connection, CustomTypesConfig, QueryArrayResult, Submittable } from 'pg';
import type { Value } from '../sql.ts';
import { NUMBERS } from './types.ts';

const NAMES_MAX = 1_000;

/** The queue of the work that follows the answers of the server, for all connections except those for stops. */
const answers = new TurnQueue();

export interface StatementResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** The number of rows that were read or changed. */
  readonly rowCount: number;
  /** The word with which the server confirms the statement, such as `COMMIT`. */
  readonly command: string;
}

/** A statement that waits for its result. */
interface Statement {
  readonly text: string;
  /** The name under which the server keeps its plan. */
  readonly name: string;
  readonly values: readonly (string | Buffer | null)[];
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Several statements without parameters in one text. */
interface Script extends Pick<Statement, 'text' | 'resolve' | 'reject'> {
  readonly values: null;
}

/** A connection, or a pool that provides one for each query. */
export type Statements = Pick<StatementQueue, 'run' | 'script' | 'post'>;

/**
 * The statements of one connection. Those that are given in the same turn of the event loop, or while others are under way, are sent
 * together: each message to the server and each answer costs both sides about as much as a simple statement itself.
 */
export class StatementQueue {
  readonly #client: ClientBase;
  readonly #isUrgent: boolean;
  readonly #types: CustomTypesConfig = NUMBERS;
  readonly #prepared: PreparedStatements = new Map();
  readonly #waiting: (Statement | Script)[] = [];
  #isBusy = false;
  #isPlanned = false;
  #failure: { readonly error: unknown } | null = null;

  constructor(client: ClientBase, isUrgent: boolean) {
    this.#client = client;
    this.#isUrgent = isUrgent;
  }

  /** Runs a statement; the server plans it once for each connection. */
  run(text: string, values: readonly Value[] = []): Promise<StatementResult> {
    const statement = { text, name: nameOf(text), values: values.map(bound) };
    return this.#add((resolve, reject) => ({ ...statement, resolve, reject }));
  }

  /** Runs statements that are rarely repeated. */
  script(text: string): Promise<StatementResult> {
    return this.#add((resolve, reject) => ({ text, values: null, resolve, reject }));
  }

  /** Runs a statement whose result nobody waits for; `takeFailure` returns its error. */
  post(text: string, values?: readonly Value[]): void {
    this.run(text, values).catch(ignore);
  }

  /** Returns the error of the first statement that failed since the last call; the statements after it only report that one has failed. */
  takeFailure(): { readonly error: unknown } | null {
    const failure = this.#failure;
    this.#failure = null;
    return failure;
  }

  /** Rejects the statements that were not sent yet. */
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

  /** Sends the statements after everything that is ready to run now, because that may add statements. */
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
    const answer = (act: () => void): void => (this.#isUrgent ? act() : answers.run(act));
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
    this.#client.query(
      new StatementGroup(together as Statement[], this.#prepared, this.#types, { answer, ended }),
    );
  }
}

/** Returns the result of the last of several statements in one text. */
function lastOf(answers: readonly QueryArrayResult[]): StatementResult {
  const { fields = [], rows = [], rowCount = 0, command = '' } = answers.at(-1) ?? {};
  return { columns: fields.map(({ name }) => name), rows, rowCount: rowCount ?? 0, command };
}

const queues = new WeakMap<ClientBase, StatementQueue>();

/** Returns the queue of a connection. The first call decides whether the connection is one of those for stops. */
export function queueOf(client: ClientBase, isUrgent = false): StatementQueue {
  let queue = queues.get(client);
  if (queue === undefined) {
    queue = new StatementQueue(client, isUrgent);
    queues.set(client, queue);
  }
  return queue;
}

const names = new Map<string, string>();

/** Returns the name of a statement. The names in use are limited, because the texts of some statements depend on their parameters. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name !== undefined) return name;
  name = createHash('sha1').update(text).digest('base64url');
  if (names.size >= NAMES_MAX) names.clear();
  names.set(text, name);
  return name;
}

/** Returns the value in the form in which it is sent. */
const bound = (value: Value): string | Buffer | null => {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
};

const ignore = (): void => undefined;

type ParseValue = (text: string) => unknown;

/** The columns of each statement that a connection has prepared, by the name of the statement. */
type PreparedStatements = Map<string, readonly Column[]>;

/** A column of a result: its name, and how to parse its values. */
interface Column {
  readonly name: string;
  readonly parse: ParseValue;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The functions that the client library calls with the answers of the server. */
interface AnswerHandler {
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleEmptyQuery(): void;
  handleError(error: unknown): void;
  handleReadyForQuery(): void;
}

interface AfterAnswer {
  /** Runs the work that follows an answer, when its turn comes. */
  readonly answer: (act: () => void) => void;
  readonly ended: () => void;
}

/**
 * Statements that are sent together and answered together: the server sends its answers when it reaches the sync message, and
 * there is one for all of them. After a statement that fails, the server ignores the others, which then fail with the same
 * error.
 */
class StatementGroup implements Submittable, AnswerHandler {
  readonly #statements: readonly Statement[];
  readonly #prepared: PreparedStatements;
  readonly #types: CustomTypesConfig;
  readonly #then: AfterAnswer;
  readonly #results: StatementResult[] = [];
  #columns: readonly Column[] = [];
  #rows: unknown[][] = [];

  constructor(
    statements: readonly Statement[],
    prepared: PreparedStatements,
    types: CustomTypesConfig,
    then: AfterAnswer,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#types = types;
    this.#then = then;
    this.#beginStatement();
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    const begun = new Set<string>();
    for (const { name, text, values } of this.#statements) {
      const isNew = !this.#prepared.has(name) && !begun.has(name);
      if (isNew) {
        begun.add(name);
        // A failed attempt may have left a statement of this name on the server.
        connection.close({ type: 'S', name }, true);
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values: [...values] }, true);
      if (!this.#prepared.has(name)) connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row = new Array<unknown>(fields.length);
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] ?? null;
      row[i] = field === null ? null : this.#columns[i]?.parse(field);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = this.#statements[this.#results.length] ?? { name: '' };
    if (!this.#prepared.has(name)) this.#prepared.set(name, this.#columns);
    const words = text.split(' ');
    this.#results.push({
      columns: this.#columns.map((column) => column.name),
      rows: this.#rows,
      rowCount: Number(words.at(-1)) || 0,
      command: words[0] ?? '',
    });
    this.#beginStatement();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  /** Is also called when the connection is lost. A statement that failed is prepared again, because its tables may have changed. */
  handleError(error: unknown): void {
    this.#prepared.delete(this.#statements[this.#results.length]?.name ?? '');
    this.#then.answer(() => {
      this.#answer();
      for (const { reject } of this.#statements.slice(this.#results.length)) reject(error);
      this.#then.ended();
    });
  }

  handleReadyForQuery(): void {
    this.#then.answer(() => {
      this.#answer();
      this.#then.ended();
    });
  }

  /** Begins the next statement. The server does not describe a prepared statement again, so its columns are those of the first time. */
  #beginStatement(): void {
    this.#rows = [];
    this.#columns = this.#prepared.get(this.#statements[this.#results.length]?.name ?? '') ?? [];
  }

  #answer(): void {
    for (const [i, result] of this.#results.entries()) this.#statements[i]?.resolve(result);
  }
}
