import type { Errand, ErrandChange, Errands } from './errands.ts';
import { evaluateDevices } from './evaluation.ts';
import { logEvents, type NewEvent } from './events.ts';
import { reasonOf, type SetAside } from './set-aside.ts';
import type { Sql } from './sql.ts';
import type { Watch } from './watches.ts';

/** What became of a device's word. */
export type Heard<Send> =
  | { readonly kind: 'taken'; readonly send: Send | null }
  | { readonly kind: 'foreign'; readonly reason: string };

export const foreign = (reason: string) => ({ kind: 'foreign', reason }) as const;

/** What an input made of an errand, and what to send to its device. */
export interface Decision<E, Send> {
  readonly after: E;
  readonly send: Send | null;
}

/** Writes down what becomes of errands, and when it is closed what follows from that: alerts, and then events. */
export class ErrandLedger {
  readonly #sql: Sql;
  readonly #nowMs: number;
  readonly #events: NewEvent[] = [];
  readonly #concerned = new Set<number>();
  /** What could not be read or decided; the rest is recorded all the same. */
  readonly setAside: SetAside[] = [];

  constructor(sql: Sql, nowMs: number) {
    this.#sql = sql;
    this.#nowMs = nowMs;
  }

  /** `before` is `null` for one that was just inserted. */
  async record<E extends Errand>(errands: Errands<E>, before: E | null, after: E): Promise<void> {
    await this.#write(errands, errands.changeOf(before, after, this.#nowMs));
  }

  /**
   * Decides and records. A decision that throws sets its errand aside, before any statement that could fail the
   * transaction of the others; `null` then.
   */
  async attempt<E extends Errand, Send>(
    errands: Errands<E>,
    before: E,
    decide: () => Decision<E, Send>,
  ): Promise<Decision<E, Send> | null> {
    const decided = this.#decide(errands, before, decide);
    if (decided === null) return null;
    await this.#write(errands, decided.change);
    return decided.decision;
  }

  #decide<E extends Errand, Send>(
    errands: Errands<E>,
    before: E,
    decide: () => Decision<E, Send>,
  ): { readonly decision: Decision<E, Send>; readonly change: ErrandChange } | null {
    try {
      const decision = decide();
      return { decision, change: errands.changeOf(before, decision.after, this.#nowMs) };
    } catch (error) {
      const { name, idOf } = errands.kind;
      this.setAside.push({ kind: name, id: idOf(before), reason: reasonOf(error) });
      return null;
    }
  }

  async #write<E extends Errand>(errands: Errands<E>, change: ErrandChange): Promise<void> {
    await errands.save(this.#sql, change);
    this.#events.push(...change.events);
    if (change.concernsAlerts) this.#concerned.add(change.deviceNo);
  }

  /** Must come last in a write, like every logging of events. `held` are the devices whose errands were recorded. */
  async close(held: readonly Watch[]): Promise<void> {
    const toEvaluate = held.filter(({ deviceNo }) => this.#concerned.has(deviceNo));
    const { events, setAside } = await evaluateDevices(this.#sql, toEvaluate, this.#nowMs);
    this.setAside.push(...setAside);
    await logEvents(this.#sql, [...this.#events, ...events]);
  }
}

/** For a write that changes one errand only. */
export async function settle<E extends Errand>(
  sql: Sql,
  watch: Watch,
  errands: Errands<E>,
  { before, after, nowMs }: { readonly before: E | null; readonly after: E; readonly nowMs: number },
): Promise<void> {
  const ledger = new ErrandLedger(sql, nowMs);
  await ledger.record(errands, before, after);
  await ledger.close([watch]);
}
