import type { Sql } from '@granary/store/sql';
import type { AlarmEvaluation } from '@granary/store/tables/alarm-evaluation';
import { logEvents, type NewEvent } from '@granary/store/tables/events';
import type { DeviceJob, JobChange, JobTable } from '@granary/store/tables/jobs';
import { reasonOf, type SetAside } from '@granary/store/tables/unreadable-row';
import { evaluateDevices } from '../alerts/evaluation.ts';

/** What became of a device's word. */
export type ReplyResult<Send> =
  | { readonly kind: 'taken'; readonly send: Send | null }
  | { readonly kind: 'foreign'; readonly reason: string };

export const unknownReference = (reason: string) => ({ kind: 'foreign', reason }) as const;

/** What an input made of an errand, and what to send to its device. */
export interface Decision<E, Send> {
  readonly after: E;
  readonly send: Send | null;
}

/** Writes down what becomes of errands, and when it is closed what follows from that: alerts, and then events. */
export class JobChangeRecorder {
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
  async record<E extends DeviceJob>(jobs: JobTable<E>, before: E | null, after: E): Promise<void> {
    await this.#write(jobs, jobs.changeOf(before, after, this.#nowMs));
  }

  /**
   * Decides and records. A decision that throws sets its errand aside, before any statement that could fail the
   * transaction of the others; `null` then.
   */
  async attempt<E extends DeviceJob, Send>(
    jobs: JobTable<E>,
    before: E,
    decide: () => Decision<E, Send>,
  ): Promise<Decision<E, Send> | null> {
    const decided = this.#decide(jobs, before, decide);
    if (decided === null) return null;
    await this.#write(jobs, decided.change);
    return decided.decision;
  }

  #decide<E extends DeviceJob, Send>(
    jobs: JobTable<E>,
    before: E,
    decide: () => Decision<E, Send>,
  ): { readonly decision: Decision<E, Send>; readonly change: JobChange } | null {
    try {
      const decision = decide();
      return { decision, change: jobs.changeOf(before, decision.after, this.#nowMs) };
    } catch (error) {
      const { name, idOf } = jobs.kind;
      this.setAside.push({ kind: name, id: idOf(before), reason: reasonOf(error) });
      return null;
    }
  }

  async #write<E extends DeviceJob>(jobs: JobTable<E>, change: JobChange): Promise<void> {
    await jobs.save(this.#sql, change);
    this.#events.push(...change.events);
    if (change.concernsAlerts) this.#concerned.add(change.deviceNo);
  }

  /** Must come last in a write, like every logging of events. `held` are the devices whose errands were recorded. */
  async close(held: readonly AlarmEvaluation[]): Promise<void> {
    const toEvaluate = held.filter(({ deviceNo }) => this.#concerned.has(deviceNo));
    const { events, setAside } = await evaluateDevices(this.#sql, toEvaluate, this.#nowMs);
    this.setAside.push(...setAside);
    await logEvents(this.#sql, [...this.#events, ...events]);
  }
}

/** For a write that changes one errand only. */
export async function recordJobChange<E extends DeviceJob>(
  sql: Sql,
  watch: AlarmEvaluation,
  jobs: JobTable<E>,
  { before, after, nowMs }: { readonly before: E | null; readonly after: E; readonly nowMs: number },
): Promise<void> {
  const ledger = new JobChangeRecorder(sql, nowMs);
  await ledger.record(jobs, before, after);
  await ledger.close([watch]);
}
