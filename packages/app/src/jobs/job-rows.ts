import type { EventType } from '@granary/contract/events';
import type { DocumentKind } from '@granary/core/documents';
import type { Expiry } from '@granary/store/expiry';
import { insertRows, updateRowsUnawaited } from '@granary/store/rows';
import type { Sql, Value } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { type OnUnreadable, reasonOf, UnreadableRow } from '../unreadable-row.ts';

/** Work of a device that is followed until its outcome is final: an operation, a command or a mission. */
export interface DeviceJob {
  readonly deviceNo: number;
  readonly status: string;
  readonly endedAtMs: number | null;
}

type Columns = Readonly<Record<string, Value>>;

/** The events of a change. */
interface JobEvent {
  readonly type: EventType;
  readonly data: object;
}

export interface JobKind<E extends DeviceJob> {
  /** The name of the table is the plural of this name. */
  readonly name: string;
  idOf(job: E): string;
  readonly document: DocumentKind<E>;
  /** A finished job needs no more ticks. */
  isFinished(job: E, nowMs: number): boolean;
  /** The additional columns of the table that a change affects; `before` is `null` for a new job. */
  columnsOf(before: E | null, after: E): Columns;
  eventsOf(before: E | null, after: E): readonly JobEvent[];
  concernsAlerts(before: E | null, after: E): boolean;
  /** The column with the time from which the job is due; without it the job is always due. */
  readonly dueColumn?: string;
}

export interface JobPage {
  readonly deviceNo: number;
  /** Columns and their required values; `null` omits a column. */
  readonly filter: Readonly<Record<string, string | null>>;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface WaitingDevice {
  readonly deviceNo: number;
  readonly waitsSinceMs: number;
}

/** A complete change that is not written yet. */
export interface JobChange {
  readonly deviceNo: number;
  readonly update: { readonly id: string; readonly columns: Columns } | null;
  readonly events: readonly NewEvent[];
  readonly concernsAlerts: boolean;
}

/** The condition for the unfinished jobs of the devices in the parameter `$1`. */
export const isUnfinished = (sql: Sql): string =>
  `is_finished = 0 AND ${sql.isOneOfNumbers('device_no', '$1')}`;

/** A job that was read by another statement. */
export interface StoredJob {
  readonly deviceNo: number;
  readonly id: string;
  readonly body: string;
}

/** A stop that its device has not confirmed. */
export interface StopRow {
  readonly deviceId: string;
  readonly id: string;
}

type JobRow = Pick<StoredJob, 'id' | 'body'>;

/** The rows of one kind of job; a transaction that changes one must have locked its device. */
export class JobTable<E extends DeviceJob> {
  readonly kind: JobKind<E>;
  readonly #table: string;
  readonly #id: string;
  readonly #no: string;
  readonly #isDue: string;

  constructor(kind: JobKind<E>) {
    this.kind = kind;
    this.#table = `${kind.name}s`;
    this.#id = `${kind.name}_id`;
    this.#no = `${kind.name}_no`;
    // All of these queries get the time as a parameter; kinds of jobs without a due column ignore it.
    const isTime =
      kind.dueColumn === undefined ? 'CAST($1 AS BIGINT) IS NOT NULL' : `${kind.dueColumn} <= $1`;
    this.#isDue = `is_finished = 0 AND ${isTime}`;
  }

  /** Reads the jobs that match a condition, in the order of insertion; rows that cannot be read are left out. */
  async where(
    sql: Sql,
    condition: string,
    params: readonly Value[],
    onUnreadable: OnUnreadable = () => undefined,
  ): Promise<E[]> {
    const rows = await this.#select(sql, `WHERE ${condition} ORDER BY ${this.#no}`, params);
    return this.#readable(rows, onUnreadable);
  }

  /** Decodes the jobs; rows that cannot be read are left out. */
  restored(rows: readonly StoredJob[], onUnreadable: OnUnreadable = () => undefined): E[] {
    return this.#readable(rows, onUnreadable);
  }

  /** Ids are unique among all devices, so this may find a job of another device; throws `UnreadableRow`. */
  async find(sql: Sql, id: string): Promise<E | undefined> {
    const [row] = await this.#select(sql, `WHERE ${this.#id} = $1`, [id]);
    return row && this.#restore(row);
  }

  async findOf(sql: Sql, deviceNo: number, id: string): Promise<E | undefined> {
    const job = await this.find(sql, id);
    return job?.deviceNo === deviceNo ? job : undefined;
  }

  /** Lists the jobs, newest first, in the order of insertion, because ids chosen by devices do not sort by time. */
  async list(sql: Sql, page: JobPage): Promise<E[]> {
    const found: E[] = [];
    let { beforeId } = page;
    for (;;) {
      const limit = page.limit - found.length;
      const rows = await this.#page(sql, { ...page, beforeId, limit });
      found.push(...this.#readable(rows, () => undefined));
      // A page stays full although some of its rows cannot be read, because the caller would take a short page for the last one.
      if (rows.length < limit || found.length === page.limit) return found;
      beforeId = rows.at(-1)?.id ?? null;
    }
  }

  /** Returns `false` if the id exists, or if another job has claimed the device. */
  async insert(sql: Sql, job: E, nowMs: number): Promise<boolean> {
    const columns: Columns = {
      [this.#id]: this.kind.idOf(job),
      device_no: job.deviceNo,
      advanced_at_ms: nowMs,
      ...this.#columns(null, job, nowMs),
    };
    const target = { table: this.#table, onConflict: 'ON CONFLICT DO NOTHING' };
    return (await insertRows(sql, target, [columns])) === 1;
  }

  /** Prepares a change without writing it; `before` is `null` for a job that was just inserted. */
  changeOf(before: E | null, after: E, nowMs: number): JobChange {
    const isChanged = after !== before;
    const isToSave = before !== null && (isChanged || this.kind.isFinished(after, nowMs));
    return {
      deviceNo: after.deviceNo,
      update: isToSave ? { id: this.kind.idOf(after), columns: this.#columns(before, after, nowMs) } : null,
      events: isChanged ? this.#eventsOf(before, after, nowMs) : [],
      concernsAlerts: isChanged && this.kind.concernsAlerts(before, after),
    };
  }

  async save(sql: Sql, { update }: JobChange): Promise<void> {
    if (update === null) return;
    await updateRowsUnawaited(sql, this.#table, { [this.#id]: update.id }, update.columns);
  }

  /** Reads the unfinished jobs of these devices that are due. */
  async unfinished(
    sql: Sql,
    deviceNos: readonly number[],
    nowMs: number,
    onUnreadable?: OnUnreadable,
  ): Promise<E[]> {
    const condition = `${this.#isDue} AND ${sql.isOneOfNumbers('device_no', '$2')}`;
    return await this.where(sql, condition, [nowMs, JSON.stringify(deviceNos)], onUnreadable);
  }

  async isWaiting(sql: Sql, deviceNo: number, nowMs: number): Promise<boolean> {
    const condition = `${this.#isDue} AND device_no = $2`;
    const rows = await sql.query(`SELECT 1 AS found FROM ${this.#table} WHERE ${condition} LIMIT 1`, [
      nowMs,
      deviceNo,
    ]);
    return rows.length > 0;
  }

  /** Devices with a job that is due, least recently ticked first. */
  async waiting(sql: Sql, nowMs: number, limit: number): Promise<WaitingDevice[]> {
    return await sql.query<WaitingDevice>(
      `SELECT device_no, MIN(advanced_at_ms) AS waits_since_ms FROM ${this.#table} WHERE ${this.#isDue}
       GROUP BY device_no ORDER BY waits_since_ms, device_no LIMIT $2`,
      [nowMs, limit],
    );
  }

  async recordTick(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<void> {
    await sql.run(
      `UPDATE ${this.#table} SET advanced_at_ms = $1
       WHERE ${this.#isDue} AND ${sql.isOneOfNumbers('device_no', '$2')}`,
      [nowMs, JSON.stringify(deviceNos)],
    );
  }

  /**
   * Removes a limited number of jobs that ended before a time and returns how many. A job that is the cause of an open alert is
   * kept. Locked rows are left for the next step, so this function never waits.
   */
  async expire(sql: Sql, { beforeMs, rowsMax }: Expiry): Promise<number> {
    const isOld = 'is_finished = 1 AND ended_at_ms < $1';
    const isNamed = `EXISTS (SELECT 1 FROM alerts
      WHERE alerts.device_no = ${this.#table}.device_no AND alerts.status <> 'resolved'
        AND alerts.cause = ${this.#table}.${this.#id})`;
    return await sql.run(
      `DELETE FROM ${this.#table} WHERE ${isOld} AND ${this.#no} IN (
         SELECT ${this.#no} FROM ${this.#table} WHERE ${isOld} AND NOT ${isNamed}
         ORDER BY ended_at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipLocked})`,
      [beforeMs, rowsMax],
    );
  }

  async #page(sql: Sql, { deviceNo, filter, beforeId, limit }: JobPage): Promise<JobRow[]> {
    const params: Value[] = [deviceNo, limit];
    const conditions = ['device_no = $1'];
    const add = (condition: (placeholder: string) => string, value: string | null): void => {
      if (value === null) return;
      params.push(value);
      conditions.push(condition(`$${params.length}`));
    };
    const numberOf = (id: string) => `(SELECT ${this.#no} FROM ${this.#table} WHERE ${this.#id} = ${id})`;
    add((id) => `${this.#no} < ${numberOf(id)}`, beforeId);
    for (const [column, value] of Object.entries(filter)) add((wanted) => `${column} = ${wanted}`, value);
    const order = `WHERE ${conditions.join(' AND ')} ORDER BY ${this.#no} DESC LIMIT $2`;
    return await this.#select(sql, order, params);
  }

  async #select(sql: Sql, rest: string, params: readonly Value[]): Promise<JobRow[]> {
    return await sql.query<JobRow>(`SELECT ${this.#id} AS id, body FROM ${this.#table} ${rest}`, params);
  }

  #restore({ id, body }: JobRow): E {
    try {
      return this.kind.document.read(body);
    } catch (error) {
      const item = { kind: this.kind.name, id, reason: reasonOf(error) };
      throw new UnreadableRow(item, { cause: error });
    }
  }

  /** A row that cannot be read must not prevent the processing of the others. */
  #readable(rows: readonly JobRow[], onUnreadable: OnUnreadable): E[] {
    return rows.flatMap((row) => {
      try {
        return [this.#restore(row)];
      } catch (error) {
        if (!(error instanceof UnreadableRow)) throw error;
        onUnreadable(error.item);
        return [];
      }
    });
  }

  #eventsOf(before: E | null, after: E, atMs: number): NewEvent[] {
    const { deviceNo } = after;
    return this.kind.eventsOf(before, after).map((event) => ({ ...event, deviceNo, atMs }));
  }

  #columns(before: E | null, after: E, nowMs: number): Columns {
    return {
      status: after.status,
      is_finished: Number(this.kind.isFinished(after, nowMs)),
      ended_at_ms: after.endedAtMs,
      body: this.kind.document.write(after),
      ...this.kind.columnsOf(before, after),
    };
  }
}
