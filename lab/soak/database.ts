import { Client } from 'pg';
import type { ReadingLedger } from './ledgers.ts';

const ANSWER_MS_MAX = 5_000;
/** The limit of readings that are looked up in one query. */
const READINGS_MAX = 5_000;

/** Queries the database directly, without the service. Each query has its own connection, because the server is stopped between them. */
export class Database {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async query(text: string, values: unknown[] = []): Promise<unknown[][]> {
    const client = new Client({
      connectionString: this.#url,
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<unknown[]>({ text, values, rowMode: 'array' })).rows;
    } finally {
      // A frozen server does not answer the end of a connection either.
      client.end().catch(() => undefined);
    }
  }

  async version(): Promise<string> {
    return String((await this.query('SHOW server_version'))[0]?.[0]);
  }

  async newestEvent(): Promise<number> {
    return Number((await this.query('SELECT last_sequence FROM event_counter'))[0]?.[0] ?? 0);
  }

  async eventsAfter(sequence: number): Promise<number[]> {
    const rows = await this.query('SELECT sequence FROM events WHERE sequence > $1', [sequence]);
    return rows.map(([found]) => Number(found));
  }

  /** The device of each alert of the type, including resolved alerts. */
  async alertsOf(type: string): Promise<string[]> {
    const text = 'SELECT device_id FROM alerts JOIN devices USING (device_no) WHERE type = $1';
    return (await this.query(text, [type])).map(([deviceId]) => String(deviceId));
  }

  async alertCounts(): Promise<string> {
    const rows = await this.query('SELECT type, count(*) FROM alerts GROUP BY type ORDER BY type');
    return rows.map(([type, count]) => `${count} ${type}`).join(', ');
  }

  /** The number of transactions that have waited for their client for 250 ms; the transaction of this query is not among them. */
  async abandonedTransactions(): Promise<number> {
    const rows = await this.query(
      `SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'
       AND state_change < clock_timestamp() - interval '250 ms'`,
    );
    return Number(rows[0]?.[0]);
  }

  /** Tells the ledger which of its readings are stored. */
  async lookFor(ledger: ReadingLedger): Promise<void> {
    const times = [...new Set(ledger.missing().map(({ tsMs }) => tsMs))].slice(0, READINGS_MAX);
    if (times.length === 0) return;
    const rows = await this.query(
      'SELECT DISTINCT device_id, ts_ms FROM readings JOIN devices USING (device_no) WHERE ts_ms = ANY($1)',
      [times],
    );
    for (const [deviceId, tsMs] of rows) ledger.stored({ deviceId: String(deviceId), tsMs: Number(tsMs) });
  }
}
