import type { Errand, Errands } from './errands.ts';
import { evaluateDevices } from './evaluation.ts';
import { logEvents, type NewEvent } from './events.ts';
import type { Sql } from './sql.ts';
import type { Watch } from './watches.ts';

/** What became of a device's word. */
export type Heard<Send> =
  | { readonly kind: 'taken'; readonly send: Send | null }
  | { readonly kind: 'foreign'; readonly reason: string };

export const foreign = (reason: string) => ({ kind: 'foreign', reason }) as const;

/** Writes down what becomes of errands, and when it is closed what follows from that: alerts, and then events. */
export class ErrandLedger {
  readonly #sql: Sql;
  readonly #nowMs: number;
  readonly #events: NewEvent[] = [];
  readonly #concerned = new Set<number>();

  constructor(sql: Sql, nowMs: number) {
    this.#sql = sql;
    this.#nowMs = nowMs;
  }

  /** `before` is `null` for one that was just inserted. */
  async record<E extends Errand>(errands: Errands<E>, before: E | null, after: E): Promise<void> {
    const isChanged = before === null || (await errands.save(this.#sql, before, after, this.#nowMs));
    if (!isChanged) return;
    this.#events.push(...errands.eventsOf(before, after, this.#nowMs));
    if (errands.kind.concernsAlerts(before, after)) this.#concerned.add(after.deviceNo);
  }

  /** Must come last in a write, like every logging of events. `held` are the devices whose errands were recorded. */
  async close(held: readonly Watch[]): Promise<void> {
    const toEvaluate = held.filter(({ deviceNo }) => this.#concerned.has(deviceNo));
    const { events } = await evaluateDevices(this.#sql, toEvaluate, this.#nowMs);
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
