import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { App, StoreLocation } from '@granary/app/app';
import type { RawPageRequest } from '@granary/app/exports/exports';
import { beforeTime, type RawPosition, type RawRow } from '@granary/app/telemetry/raw-row';
import { readingsIn } from '@granary/app/telemetry/reading-rows';
import type { Reading } from '@granary/core/telemetry/readings';
import { Client } from 'pg';

const QUERY = 'SELECT device_no, ts_ms, body FROM readings ORDER BY ts_ms, device_no';

/** Every raw reading, read directly from the database, so that tests can compare answers with it. */
export async function rawReadings(location: StoreLocation): Promise<Reading[]> {
  const rows = location.engine === 'sqlite' ? fromFile(location.folder) : await fromServer(location.url);
  return rows.flatMap((row) =>
    readingsIn([Number(row['ts_ms']), Number(row['device_no']), row['body'] as Uint8Array]).map(
      ([tsMs, deviceNo, group, a, b, c, badMask]) => ({
        deviceNo,
        tsMs,
        group,
        a,
        b,
        c,
        badMask: badMask ?? 0,
      }),
    ),
  );
}

type Row = Readonly<Record<string, unknown>>;

function fromFile(folder: string): Row[] {
  const database = new DatabaseSync(join(folder, 'granary.db'), { readOnly: true });
  try {
    return database.prepare(QUERY).all();
  } finally {
    database.close();
  }
}

async function fromServer(url: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(QUERY)).rows;
  } finally {
    await client.end();
  }
}

type Wanted = Partial<Omit<RawPageRequest, 'after'>> & { readonly fromMs?: number };

/** All pages of raw readings, as an export reads them. */
export async function everyRawRow(app: Pick<App, 'exports'>, wanted: Wanted = {}): Promise<RawRow[]> {
  const { fromMs = 0, ...page } = wanted;
  const found: RawRow[] = [];
  for (let after: RawPosition | null = beforeTime(fromMs); after !== null; ) {
    const { rows, next } = await app.exports.rawPage({
      deviceNos: null,
      groups: null,
      toMs: Number.MAX_SAFE_INTEGER,
      rowsMax: 250,
      scannedMax: 5_000,
      ...page,
      after,
    });
    found.push(...rows);
    after = next;
  }
  return found;
}

export const rawRowOf = ({ tsMs, deviceNo, group, a, b, c, badMask }: Reading): RawRow => [
  tsMs,
  deviceNo,
  group,
  a,
  b,
  c,
  badMask === 0 ? null : badMask,
];
