import type { Value } from '../sql.ts';
import type { StatementResult } from './statement-group.ts';
import type { Statements } from './statement-queue.ts';

interface Wanted {
  readonly text: string;
  readonly values: readonly Value[];
  /** Of a query about devices: their numbers, and the position of the number in its rows. */
  readonly devices: { readonly numbers: readonly number[]; readonly numberAt: number } | null;
}

/** A statement that was given and not sent yet. */
interface Given extends Wanted {
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The statements of calls that run in one transaction at the same time. Of those that are given in one turn of the event loop, the
 * first ones of all calls are sent first, then the second ones, and so on: each call keeps its order, and equal queries about
 * devices come together and are sent as one, which takes the locks in the order of the devices.
 */
export class SharedStatements {
  readonly #statements: Statements;
  readonly #calls: Given[][] = [];
  #isPlanned = false;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  ofCall(): StatementsOfCall {
    const given: Given[] = [];
    this.#calls.push(given);
    return new StatementsOfCall((wanted) => {
      const { promise, resolve, reject } = Promise.withResolvers<StatementResult>();
      given.push({ ...wanted, resolve, reject });
      this.#plan();
      return promise;
    });
  }

  /** Sends what was given so far. */
  send(): void {
    this.#isPlanned = false;
    const turn = this.#calls.map((given) => given.splice(0));
    const length = Math.max(0, ...turn.map((given) => given.length));
    for (let position = 0; position < length; position++) {
      const side = turn.flatMap((given) => given[position] ?? []);
      for (const alike of Map.groupBy(side, (given) => given.devices && given.text).values()) {
        if (alike[0]?.devices) this.#sendForDevices(alike);
        else for (const given of alike) this.#sendOne(given);
      }
    }
  }

  /** After everything that is ready to run now, because that may add statements. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => process.nextTick(() => this.send()));
  }

  #sendOne({ text, values, resolve, reject }: Given): void {
    this.#run(text, values).then(resolve, reject);
  }

  /** Each call gets the rows of its devices, in the order of the answer. */
  #sendForDevices(alike: readonly Given[]): void {
    const numbers = new Set(alike.flatMap(({ devices }) => devices?.numbers ?? []));
    this.#run(alike[0]?.text ?? '', [JSON.stringify([...numbers])]).then(
      (result) => {
        for (const { devices, resolve } of alike) {
          const { numbers: own = [], numberAt = 0 } = devices ?? {};
          const rows = result.rows.filter((row) => own.includes(row[numberAt] as number));
          resolve({ ...result, rows, rowCount: rows.length });
        }
      },
      (error: unknown) => {
        for (const { reject } of alike) reject(error);
      },
    );
  }

  /** A statement after the end of the transaction is refused to whoever gave it. */
  async #run(text: string, values: readonly Value[]): Promise<StatementResult> {
    return await this.#statements.run(text, values);
  }
}

const isRead = (text: string): boolean => /^\s*SELECT\b/.test(text);

/** The statements of one of the calls. */
export class StatementsOfCall implements Statements {
  readonly #give: (wanted: Wanted) => Promise<StatementResult>;
  #hasWritten = false;

  constructor(give: (wanted: Wanted) => Promise<StatementResult>) {
    this.#give = give;
  }

  /** Whether there is anything to take back if the call is refused; locks are kept until the end of the transaction. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  run(text: string, values: readonly Value[] = []): Promise<StatementResult> {
    if (!isRead(text)) this.#hasWritten = true;
    return this.#give({ text, values, devices: null });
  }

  runForDevices(text: string, numbers: readonly number[], numberAt: number): Promise<StatementResult> {
    return this.#give({ text, values: [], devices: { numbers, numberAt } });
  }

  post(text: string, values?: readonly Value[]): void {
    this.run(text, values).catch(() => undefined);
  }

  script(): never {
    throw new Error('a call that shares a transaction has no scripts');
  }
}
