import type { Sql } from '../../sql.ts';
import { Parameters } from '../fleet/place.ts';

/** The place of a row in the order of the table. */
export interface RawPosition {
  readonly tsMs: number;
  readonly deviceNo: number;
  readonly group: number;
}

export interface RawPageRequest {
  /** The page begins with the row after this place. */
  readonly after: RawPosition;
  readonly toMs: number;
  /** `null`: of all devices. */
  readonly deviceNos: readonly number[] | null;
  /** `null`: all sensor groups. */
  readonly groups: readonly number[] | null;
  readonly rowsMax: number;
  /** How many rows of any device one page may look at, so that its time is limited also if it finds nothing. */
  readonly scannedMax: number;
}

export type RawRow = readonly [
  ...[tsMs: number, deviceNo: number, group: number],
  ...[a: number | null, b: number | null, c: number | null, badMask: number | null],
];

export interface RawPage {
  readonly rows: readonly RawRow[];
  /** `null` after the last row of the range. */
  readonly next: RawPosition | null;
}

const KEY = 'ts_ms, device_no, sensor_group';

/** Precedes every row of a time. */
export const beforeTime = (tsMs: number): RawPosition => ({ tsMs, deviceNo: -1, group: -1 });

/**
 * The next rows in the order of time. The table is ordered by time and not by device, because all devices write at the same
 * time; so the rows of some devices are found by looking at those of all.
 */
export async function readRawPage(sql: Sql, page: RawPageRequest): Promise<RawPage> {
  const { deviceNos, groups, rowsMax } = page;
  const isFiltered = deviceNos !== null || groups !== null;
  const end = isFiltered ? await endOfScan(sql, page) : null;
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = inRange(page, parameters);
  if (end !== null) {
    const endTime = bind(end.tsMs);
    conditions.push(
      `ts_ms <= ${endTime}`,
      `(${KEY}) <= (${endTime}, ${bind(end.deviceNo)}, ${bind(end.group)})`,
    );
  }
  if (deviceNos !== null) conditions.push(sql.isOneOfNumbers('device_no', bind(JSON.stringify(deviceNos))));
  if (groups !== null) conditions.push(sql.isOneOfNumbers('sensor_group', bind(JSON.stringify(groups))));
  const rows = await sql.query<RawRow>(
    `SELECT ${KEY}, a, b, c, bad_mask FROM readings
     WHERE ${conditions.join(' AND ')} ORDER BY ${KEY} LIMIT ${bind(rowsMax)}`,
    parameters.values,
  );
  const last = rows.at(-1);
  const isFull = rows.length === rowsMax && last !== undefined;
  return { rows, next: isFull ? { tsMs: last[0], deviceNo: last[1], group: last[2] } : end };
}

/** The last row that the page may look at; `null` if there are fewer. */
async function endOfScan(sql: Sql, page: RawPageRequest): Promise<RawPosition | null> {
  const parameters = new Parameters();
  const conditions = inRange(page, parameters);
  const [row] = await sql.query<[tsMs: number, deviceNo: number, group: number]>(
    `SELECT ${KEY} FROM readings WHERE ${conditions.join(' AND ')}
     ORDER BY ${KEY} LIMIT 1 OFFSET ${parameters.bind(page.scannedMax - 1)}`,
    parameters.values,
  );
  return row === undefined ? null : { tsMs: row[0], deviceNo: row[1], group: row[2] };
}

/** The plain conditions on the time let PostgreSQL leave out the partitions of other days. */
function inRange({ after, toMs }: RawPageRequest, { bind }: Parameters): string[] {
  const fromTime = bind(after.tsMs);
  return [
    `ts_ms >= ${fromTime}`,
    `ts_ms < ${bind(toMs)}`,
    `(${KEY}) > (${fromTime}, ${bind(after.deviceNo)}, ${bind(after.group)})`,
  ];
}
