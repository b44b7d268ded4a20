import type { DocumentKind } from '@granary/core/documents';
import type { Duplicate } from '@granary/core/reception/duplicate';
import type { Reception } from '@granary/core/reception/reception';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import type { Transaction } from './transaction.ts';

/** A device has a row if something about it is, or was, not as it should be. */
export interface HealthColumns {
  readonly reception: string | null;
  readonly duplicate: string | null;
}

const NOTHING_TO_TELL: HealthColumns = { reception: null, duplicate: null };

/**
 * Returns the stored reception of the devices that have one; a reception that cannot be read counts as none. It is called for
 * the devices of every batch, after their rows of `presence` are locked.
 */
export async function receptionsOf(
  tx: Transaction,
  document: DocumentKind<Reception>,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, Reception>> {
  const { memory } = tx;
  if (memory === null) {
    return readReceptions(tx.sql, document, `AND ${tx.sql.isOneOfNumbers('device_no', '$1')}`, [
      JSON.stringify(deviceNos),
    ]);
  }
  memory.receptions ??= await readReceptions(tx.sql, document, '', []);
  return memory.receptions;
}

async function readReceptions(
  sql: Sql,
  document: DocumentKind<Reception>,
  condition: string,
  params: readonly string[],
): Promise<Map<number, Reception>> {
  const rows = await sql.query<{ deviceNo: number; reception: string }>(
    `SELECT device_no, reception FROM device_health WHERE reception IS NOT NULL ${condition}`,
    params,
  );
  return new Map(
    rows.flatMap(({ deviceNo, reception: text }) => {
      const reception = readableOrNull(document, text);
      return reception === null ? [] : [[deviceNo, reception] as const];
    }),
  );
}

/** Stores the receptions in the order of the device numbers; `null` removes a reception, because everything is as it should be. */
export async function saveReceptions(
  tx: Transaction,
  document: DocumentKind<Reception>,
  receptions: ReadonlyMap<number, Reception | null>,
): Promise<void> {
  const ordered = [...receptions].toSorted(([a], [b]) => a - b);
  for (const [deviceNo, reception] of ordered) {
    if (reception === null) tx.memory?.receptions?.delete(deviceNo);
    else tx.memory?.receptions?.set(deviceNo, reception);
  }
  await insertRows(
    tx.sql,
    {
      table: 'device_health',
      onConflict: 'ON CONFLICT (device_no) DO UPDATE SET reception = excluded.reception',
    },
    ordered.map(([deviceNo, reception]) => ({
      deviceNo,
      reception: reception === null ? null : document.write(reception),
    })),
  );
}

export async function saveDuplicate(
  sql: Sql,
  document: DocumentKind<Duplicate>,
  deviceNo: number,
  duplicate: Duplicate,
): Promise<void> {
  await sql.run(
    `INSERT INTO device_health (device_no, duplicate) VALUES ($1, $2)
     ON CONFLICT (device_no) DO UPDATE SET duplicate = excluded.duplicate`,
    [deviceNo, document.write(duplicate)],
  );
}

export async function readHealth(sql: Sql, deviceNo: number): Promise<HealthColumns> {
  const [row] = await sql.query<HealthColumns>(
    'SELECT reception, duplicate FROM device_health WHERE device_no = $1',
    [deviceNo],
  );
  return row ?? NOTHING_TO_TELL;
}

/** A damaged row is no reason to stop the evaluation of a device, because the next messages create the state anew. */
export function readableOrNull<Value>(document: DocumentKind<Value>, text: string | null): Value | null {
  if (text === null) return null;
  try {
    return document.read(text);
  } catch {
    return null;
  }
}
