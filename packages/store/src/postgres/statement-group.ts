import type { Connection, CustomTypesConfig, Submittable } from 'pg';

export interface StatementResult {
  readonly rows: readonly (readonly unknown[])[];
  /** The number of rows that were read or changed. */
  readonly rowCount: number;
  /** The word with which the server confirms it, such as `COMMIT`. */
  readonly command: string;
}

/** A statement that waits for its result. */
export interface Statement {
  readonly text: string;
  /** The name under which the server keeps its plan. */
  readonly name: string;
  readonly values: readonly (string | Buffer | null)[];
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

type ParseValue = (text: string) => unknown;

/** How to read the columns of each statement that a connection has prepared, by its name. */
export type PreparedStatements = Map<string, readonly ParseValue[]>;

interface Field {
  readonly dataTypeID: number;
}

/** What the client library calls with the answers of the server. */
interface AnswerHandler {
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleEmptyQuery(): void;
  handleError(error: unknown): void;
  handleReadyForQuery(): void;
}

/**
 * Statements that are sent at once and answered at once: the server sends its answers when it reaches the sync message, and there is
 * one for all of them. After a statement that fails the server ignores the others, which then fail with the same error.
 */
export class StatementGroup implements Submittable, AnswerHandler {
  readonly #statements: readonly Statement[];
  readonly #prepared: PreparedStatements;
  readonly #types: CustomTypesConfig;
  readonly #ended: () => void;
  readonly #results: StatementResult[] = [];
  #parsers: readonly ParseValue[] = [];
  #rows: unknown[][] = [];

  constructor(
    statements: readonly Statement[],
    prepared: PreparedStatements,
    types: CustomTypesConfig,
    ended: () => void,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#types = types;
    this.#ended = ended;
    this.#beginStatement();
  }

  submit(connection: Connection): void {
    connection.stream.cork();
    const begun = new Set<string>();
    for (const { name, text, values } of this.#statements) {
      const isNew = !this.#prepared.has(name) && !begun.has(name);
      if (isNew) {
        begun.add(name);
        // An attempt that failed may have left a statement of this name behind.
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
    this.#parsers = fields.map(({ dataTypeID }) => this.#types.getTypeParser(dataTypeID, 'text'));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row = new Array<unknown>(fields.length);
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] ?? null;
      row[i] = field === null ? null : this.#parsers[i]?.(field);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { name } = this.#statements[this.#results.length] ?? { name: '' };
    if (!this.#prepared.has(name)) this.#prepared.set(name, this.#parsers);
    const words = text.split(' ');
    this.#results.push({
      rows: this.#rows,
      rowCount: Number(words.at(-1)) || 0,
      command: words[0] ?? '',
    });
    this.#beginStatement();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  /** Also called when the connection is lost. A statement that failed is prepared again, because its tables may have changed. */
  handleError(error: unknown): void {
    this.#answer();
    this.#prepared.delete(this.#statements[this.#results.length]?.name ?? '');
    for (const { reject } of this.#statements.slice(this.#results.length)) reject(error);
    this.#ended();
  }

  handleReadyForQuery(): void {
    this.#answer();
    this.#ended();
  }

  /** A statement that was prepared before is not described again. */
  #beginStatement(): void {
    this.#rows = [];
    this.#parsers = this.#prepared.get(this.#statements[this.#results.length]?.name ?? '') ?? [];
  }

  #answer(): void {
    for (const [i, result] of this.#results.entries()) this.#statements[i]?.resolve(result);
  }
}
