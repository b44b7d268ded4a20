import type { Sql } from '@granary/store/sql';
import { evaluateDevices } from '../alerts/evaluation.ts';
import type { AlertEvaluation } from '../alerts/evaluation-rows.ts';
import { findDevices } from '../device-rows.ts';
import {
  alertEvaluation,
  type Committed,
  committed,
  type DeviceMessage,
  type Effect,
  eventsLogged,
} from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import type { Transaction } from '../transaction.ts';
import { reasonOf, type SetAside } from '../unreadable-row.ts';
import type { DeviceJob, JobChange, JobTable } from './job-rows.ts';

/** The effect that sends a message to a device, if there is one to send. */
export async function messageEffects(
  sql: Sql,
  deviceNo: number,
  message: DeviceMessage | null,
): Promise<Effect[]> {
  if (message === null) return [];
  const [device] = await findDevices(sql, [deviceNo]);
  return device === undefined ? [] : [{ kind: 'send_message', deviceNo, deviceId: device.deviceId, message }];
}

/** The result of handling a device's reply. */
export type ReplyResult =
  | { readonly kind: 'applied' }
  /** The reply refers to no job of this device. */
  | { readonly kind: 'unknown_reference'; readonly reason: string };

export const unknownReference = (reason: string): Committed<ReplyResult> =>
  committed({ kind: 'unknown_reference', reason });

export const appliedReply = (...effects: readonly Effect[]): Committed<ReplyResult> =>
  committed({ kind: 'applied' }, ...effects);

/** The new state of a job, and the message to send to its device. */
export interface Decision<E, Send> {
  readonly after: E;
  readonly send: Send | null;
}

/** Writes changes of jobs, and on `close` the alerts and then the events that follow from them. */
export class JobChangeRecorder {
  readonly #tx: Transaction;
  readonly #nowMs: number;
  readonly #events: NewEvent[] = [];
  readonly #concerned = new Set<number>();
  /** The items that could not be read or decided; all others are recorded. */
  readonly setAside: SetAside[] = [];

  constructor(tx: Transaction, nowMs: number) {
    this.#tx = tx;
    this.#nowMs = nowMs;
  }

  /** `before` is `null` for a job that was just inserted. */
  async record<E extends DeviceJob>(jobs: JobTable<E>, before: E | null, after: E): Promise<void> {
    await this.#write(jobs, jobs.changeOf(before, after, this.#nowMs));
  }

  /**
   * Decides and records. If the decision throws, the job is set aside before any statement that could fail the transaction
   * of the others, and the result is `null`.
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
    await jobs.save(this.#tx.sql, change);
    this.#events.push(...change.events);
    if (change.concernsAlerts) this.#concerned.add(change.deviceNo);
  }

  /** Must be the last step of a write, because it logs events; `held` are the devices whose jobs were recorded. */
  async close(held: readonly AlertEvaluation[]): Promise<Effect[]> {
    const toEvaluate = held.filter(({ deviceNo }) => this.#concerned.has(deviceNo));
    const { events, setAside } = await evaluateDevices(this.#tx, toEvaluate, this.#nowMs);
    this.setAside.push(...setAside);
    const logged = [...this.#events, ...events];
    await logEvents(this.#tx, logged);
    return eventsLogged(logged);
  }
}

/** A job before and after a decision; `before` is `null` for a job that was just inserted. */
export interface ChangedJob<E> {
  readonly before: E | null;
  readonly after: E;
}

/** Records the change of one job, and of other jobs of the same device if it affects them. */
export async function recordJobChange<E extends DeviceJob>(
  tx: Transaction,
  evaluationRow: AlertEvaluation,
  jobs: JobTable<E>,
  { before, after, nowMs }: ChangedJob<E> & { readonly nowMs: number },
  others: readonly ChangedJob<E>[] = [],
): Promise<Effect[]> {
  const recorder = new JobChangeRecorder(tx, nowMs);
  await recorder.record(jobs, before, after);
  for (const other of others) {
    if (other.after !== other.before) await recorder.record(jobs, other.before, other.after);
  }
  return await recorder.close([evaluationRow]);
}

/** A change that concerns alerts has evaluated them already. */
export const evaluationAfter = <E extends DeviceJob>({ kind }: JobTable<E>, before: E, after: E): Effect[] =>
  after !== before && kind.concernsAlerts(before, after) ? [] : alertEvaluation([after.deviceNo]);
