import type { GroupValues } from '@granary/core/sensors/sensor';
import type { Sql } from '@granary/store/sql';
import { isUnfinished, type StoredJob } from '../jobs/job-rows.ts';
import { isLastEnded, isUnderWay } from '../missions/mission-rows.ts';
import { isNewestOperation } from '../operations/operation-rows.ts';
import { toLatest } from '../telemetry/latest-values.ts';

/** What decisions about devices depend on, besides their own rows and their alerts. */
export interface FactRows {
  /** By device number. */
  readonly latest: ReadonlyMap<number, GroupValues[]>;
  /** JSON by device number. */
  readonly configurations: ReadonlyMap<number, string>;
  /** By device number, of those that have one. */
  readonly receptions: ReadonlyMap<number, string>;
  readonly duplicates: ReadonlyMap<number, string>;
  /** The jobs in the order of insertion. */
  readonly newestOperations: readonly StoredJob[];
  readonly unfinishedOperations: readonly StoredJob[];
  readonly missionsUnderWay: readonly StoredJob[];
  readonly lastEndedMissions: readonly StoredJob[];
  readonly unfinishedCommands: readonly StoredJob[];
}

interface FactRow {
  readonly kind: number;
  readonly deviceNo: number;
  readonly no: number;
  readonly id: string | null;
  readonly body: string | null;
  readonly latest: Uint8Array | null;
}

const LATEST = 1;
const CONFIGURATION = 2;
const NEWEST_OPERATION = 3;
const UNFINISHED_OPERATION = 4;
const MISSION_UNDER_WAY = 5;
const LAST_ENDED_MISSION = 6;
const UNFINISHED_COMMAND = 7;
const RECEPTION = 8;
const DUPLICATE = 9;

const health = (kind: number, column: 'reception' | 'duplicate', condition: string): string =>
  `SELECT ${kind}, device_no, 0, NULL, ${column}, NULL FROM device_health WHERE ${column} IS NOT NULL AND ${condition}`;

const jobs = (kind: number, name: string, condition: string): string =>
  `SELECT ${kind}, device_no, ${name}_no, ${name}_id, body, NULL FROM ${name}s WHERE ${condition}`;

/** In one statement: nearly every write about a device needs all of it, and each statement has a price of its own. */
export async function readFactRows(sql: Sql, deviceNos: readonly number[]): Promise<FactRows> {
  const isWanted = sql.isOneOfNumbers('device_no', '$1');
  const rows = await sql.query<FactRow>(
    [
      `SELECT ${LATEST} AS kind, device_no, sensor_group AS no, NULL AS id, NULL AS body, body AS latest FROM open_buckets WHERE ${isWanted}`,
      `SELECT ${CONFIGURATION}, device_no, 0, NULL, body, NULL FROM configurations WHERE ${isWanted}`,
      jobs(NEWEST_OPERATION, 'operation', isNewestOperation(sql)),
      jobs(UNFINISHED_OPERATION, 'operation', isUnfinished(sql)),
      jobs(MISSION_UNDER_WAY, 'mission', isUnderWay(sql)),
      jobs(LAST_ENDED_MISSION, 'mission', isLastEnded(sql)),
      jobs(UNFINISHED_COMMAND, 'command', isUnfinished(sql)),
      health(RECEPTION, 'reception', isWanted),
      health(DUPLICATE, 'duplicate', isWanted),
    ].join(' UNION ALL '),
    [JSON.stringify(deviceNos)],
  );
  const ofKinds = Map.groupBy(rows, ({ kind }) => kind);
  const jobsOf = (kind: number): StoredJob[] =>
    (ofKinds.get(kind) ?? [])
      .toSorted((a, b) => a.no - b.no)
      .map(({ deviceNo, id, body }) => ({ deviceNo, id: id ?? '', body: body ?? '' }));
  const textsOf = (kind: number): Map<number, string> =>
    new Map((ofKinds.get(kind) ?? []).map(({ deviceNo, body }) => [deviceNo, body ?? '']));
  const latest = Map.groupBy(ofKinds.get(LATEST) ?? [], ({ deviceNo }) => deviceNo);
  return {
    latest: new Map(
      [...latest].map(([deviceNo, own]) => [
        deviceNo,
        toLatest(own.map(({ no, latest: body }) => ({ sensorGroup: no, body }))),
      ]),
    ),
    configurations: textsOf(CONFIGURATION),
    receptions: textsOf(RECEPTION),
    duplicates: textsOf(DUPLICATE),
    newestOperations: jobsOf(NEWEST_OPERATION),
    unfinishedOperations: jobsOf(UNFINISHED_OPERATION),
    missionsUnderWay: jobsOf(MISSION_UNDER_WAY),
    lastEndedMissions: jobsOf(LAST_ENDED_MISSION),
    unfinishedCommands: jobsOf(UNFINISHED_COMMAND),
  };
}
