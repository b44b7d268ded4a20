import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CHANNEL_NAMES } from '@granary/contract/telemetry/channels';
import type { Reading, StoredValues } from '@granary/core/telemetry/readings';
import { badBitOf } from '@granary/store/tables/telemetry/channel-layout';
import { Client } from 'pg';
import type { StoreLocation } from '../app.ts';

const QUERY = `SELECT device_no, ts_ms, ${CHANNEL_NAMES.join(', ')}, bad_mask FROM readings ORDER BY ts_ms, device_no`;

/** Every raw reading, read directly from the database, so that tests can compare answers with it. */
export async function rawReadings(location: StoreLocation): Promise<Reading[]> {
  const rows = location.engine === 'sqlite' ? fromFile(location.folder) : await fromServer(location.url);
  return rows.map((row) => {
    const values: StoredValues = {};
    const badValues: StoredValues = {};
    const badMask = Number(row['bad_mask'] ?? 0);
    for (const name of CHANNEL_NAMES) {
      const value = row[name];
      if (value === null || value === undefined) continue;
      const isBad = (badMask & badBitOf(name)) !== 0;
      (isBad ? badValues : values)[name] = Number(value);
    }
    const reading = { deviceNo: Number(row['device_no']), tsMs: Number(row['ts_ms']), values };
    return badMask === 0 ? reading : { ...reading, badValues };
  });
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
