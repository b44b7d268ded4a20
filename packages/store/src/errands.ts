import type { EventType } from '@granary/contract/events';
import type { NewEvent } from './events.ts';
import { insertRows } from './rows.ts';
import type { Sql, Value } from './sql.ts';

/** What a device is asked to do, and asked about until nothing more is to be learnt: an operation, a command, a mission. */
export interface Errand {
  readonly deviceNo: number;
  readonly status: string;
}

type Columns = Readonly<Record<string, Value>>;

export interface ErrandKind<E extends Errand> {
  /** Its table is called by the plural. */
  readonly name: string;
  idOf(errand: E): string;
  /** It needs no further ticks. */
  isSettled(errand: E, nowMs: number): boolean;
  /** What its table holds beside what all have, as far as a change concerns it; `before` is `null` for a new one. */
  columnsOf(before: E | null, after: E): Columns;
  eventsOf(before: E | null, after: E): readonly EventType[];
  recordOf(errand: E): object;
  concernsAlerts(before: E | null, after: E): boolean;
  /** Where its table says since when it is to be ticked, if that is not at once. */
  readonly dueColumn?: string;
}

export interface ErrandPage {
  readonly deviceNo: number;
  /** Columns and what they must be; `null` leaves one out. */
  readonly filter: Readonly<Record<string, string | null>>;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface WaitingDevice {
  readonly deviceNo: number;
  readonly waitsSinceMs: number;
}

type ErrandRow = [body: string];

/** The rows of one kind. Whoever changes any holds the device's watch. */
export class Errands<E extends Errand> {
  readonly kind: ErrandKind<E>;
  readonly #table: string;
  readonly #id: string;
  readonly #no: string;
  readonly #isDue: string;

  constructor(kind: ErrandKind<E>) {
    this.kind = kind;
    this.#table = `${kind.name}s`;
    this.#id = `${kind.name}_id`;
    this.#no = `${kind.name}_no`;
    // Of the time that all of these queries are given, those without a column make nothing.
    const isTime =
      kind.dueColumn === undefined ? 'CAST($1 AS BIGINT) IS NOT NULL' : `${kind.dueColumn} <= $1`;
    this.#isDue = `is_settled = 0 AND ${isTime}`;
  }

  /** Those that meet a condition, in the order in which they became known. */
  async where(sql: Sql, condition: string, params: readonly Value[]): Promise<E[]> {
    return await this.#select(sql, `WHERE ${condition} ORDER BY ${this.#no}`, params);
  }

  /** Ids are unique among all devices, so this also finds one of another device. */
  async find(sql: Sql, id: string): Promise<E | undefined> {
    const [errand] = await this.#select(sql, `WHERE ${this.#id} = $1`, [id]);
    return errand;
  }

  async findOf(sql: Sql, deviceNo: number, id: string): Promise<E | undefined> {
    const errand = await this.find(sql, id);
    return errand?.deviceNo === deviceNo ? errand : undefined;
  }

  /** Newest first, in the order in which they became known: ids that devices made up do not sort by time. */
  async list(sql: Sql, { deviceNo, filter, beforeId, limit }: ErrandPage): Promise<E[]> {
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

  /** Answers whether there was room for it: `false` if its id is taken, or its device where it claims one. */
  async insert(sql: Sql, errand: E, nowMs: number): Promise<boolean> {
    const columns: Columns = {
      [this.#id]: this.kind.idOf(errand),
      device_no: errand.deviceNo,
      ticked_at_ms: nowMs,
      ...this.#columns(null, errand, nowMs),
    };
    const target = {
      table: this.#table,
      columns: Object.keys(columns),
      onConflict: 'ON CONFLICT DO NOTHING',
    };
    return (await insertRows(sql, target, [Object.values(columns)])) === 1;
  }

  /** Answers whether anything changed. */
  async save(sql: Sql, before: E, after: E, nowMs: number): Promise<boolean> {
    if (after === before && !this.kind.isSettled(after, nowMs)) return false;
    const columns = this.#columns(before, after, nowMs);
    const sets = Object.keys(columns).map((column, i) => `${column} = $${i + 2}`);
    await sql.run(`UPDATE ${this.#table} SET ${sets.join(', ')} WHERE ${this.#id} = $1`, [
      this.kind.idOf(after),
      ...Object.values(columns),
    ]);
    return after !== before;
  }

  eventsOf(before: E | null, after: E, atMs: number): NewEvent[] {
    const types = after === before ? [] : this.kind.eventsOf(before, after);
    if (types.length === 0) return [];
    const data = this.kind.recordOf(after);
    return types.map((type) => ({ type, deviceNo: after.deviceNo, atMs, data }));
  }

  /** All of these devices that have a tick to come. */
  async unsettled(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<E[]> {
    const condition = `${this.#isDue} AND ${sql.isOneOfNumbers('device_no', '$2')}`;
    return await this.where(sql, condition, [nowMs, JSON.stringify(deviceNos)]);
  }

  /** Devices with a tick to come, those first that were ticked longest ago. */
  async waiting(sql: Sql, nowMs: number, limit: number): Promise<WaitingDevice[]> {
    const rows = await sql.query<[deviceNo: number, waitsSinceMs: number]>(
      `SELECT device_no, MIN(ticked_at_ms) AS waits_since_ms FROM ${this.#table} WHERE ${this.#isDue}
       GROUP BY device_no ORDER BY waits_since_ms, device_no LIMIT $2`,
      [nowMs, limit],
    );
    return rows.map(([deviceNo, waitsSinceMs]) => ({ deviceNo, waitsSinceMs }));
  }

  async recordTick(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<void> {
    await sql.run(
      `UPDATE ${this.#table} SET ticked_at_ms = $1
       WHERE ${this.#isDue} AND ${sql.isOneOfNumbers('device_no', '$2')}`,
      [nowMs, JSON.stringify(deviceNos)],
    );
  }

  async #select(sql: Sql, rest: string, params: readonly Value[]): Promise<E[]> {
    const rows = await sql.query<ErrandRow>(`SELECT body FROM ${this.#table} ${rest}`, params);
    return rows.map(([body]) => JSON.parse(body));
  }

  #columns(before: E | null, after: E, nowMs: number): Columns {
    return {
      status: after.status,
      is_settled: Number(this.kind.isSettled(after, nowMs)),
      body: JSON.stringify(after),
      ...this.kind.columnsOf(before, after),
    };
  }
}
