import type { Actor } from '@granary/contract/audit';
import { HOUR_MS } from '@granary/contract/time';
import type { LevelReading, Refill, UseDay } from '@granary/core/foresight/types';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Sql } from '@granary/store/sql';
import { type DeviceSelection, Parameters, selectionConditions, where } from '../conditions.ts';
import { readLastValues } from '../telemetry/bucket-rows.ts';
import { openBucketFigures } from '../telemetry/open-bucket-rows.ts';

const WEIGHT = STANDARD_SENSORS.weight.lane;
const SILO = "devices.profile = 'silo_scale'";

/** The data of a silo from which a sweep decides whether its forecast is due. */
export interface SweptSilo {
  readonly deviceNo: number;
  readonly capacityKg: number;
  readonly version: number;
  readonly newestMs: number | null;
  readonly newestKg: number | null;
  readonly lateFromMs: number | null;
  readonly isRunning: boolean;
  /** The data of the stored forecast; `null` if there is none. */
  readonly made: SweptForecast | null;
}

interface SweptForecast {
  readonly madeAtMs: number;
  readonly nextAtMs: number;
  readonly watchedUntilMs: number;
  readonly newestMs: number | null;
  readonly configurationVersion: number;
  readonly levelKg: number | null;
  readonly kgPerDay: number | null;
  readonly hadOperation: number;
}

type SweptRow = [
  deviceNo: number,
  capacityKg: number,
  version: number,
  latest: Uint8Array | null,
  lateFromMs: number | null,
  running: number,
  madeAtMs: number | null,
  nextAtMs: number,
  watchedUntilMs: number,
  newestMs: number | null,
  configurationVersion: number,
  levelKg: number | null,
  kgPerDay: number | null,
  hadOperation: number,
];

/** Lists the silos after a device number, in the order of these numbers. */
export async function sweepSilos(sql: Sql, afterNo: number, limit: number): Promise<SweptSilo[]> {
  const rows = await sql.queryArrays<SweptRow>(
    `SELECT devices.device_no, devices.capacity_kg, configurations.version, open_buckets.body, late_readings.from_ms,
       (SELECT COUNT(*) FROM operations WHERE operations.device_no = devices.device_no AND is_finished = 0),
       made_at_ms, next_at_ms, watched_until_ms, forecasts.newest_ms, configuration_version, level_kg, kg_per_day, had_operation
     FROM devices JOIN configurations ON configurations.device_no = devices.device_no
       LEFT JOIN open_buckets ON open_buckets.device_no = devices.device_no AND open_buckets.sensor_group = ${WEIGHT.group}
       LEFT JOIN late_readings ON late_readings.device_no = devices.device_no
       LEFT JOIN forecasts ON forecasts.device_no = devices.device_no
     WHERE ${SILO} AND devices.removed_at_ms IS NULL AND devices.device_no > $1
     ORDER BY devices.device_no LIMIT $2`,
    [afterNo, limit],
  );
  return rows.map((row) => {
    const [deviceNo, capacityKg, version, body, lateFromMs, running, madeAtMs, nextAtMs] = row;
    const latest = body === null ? undefined : openBucketFigures(body)[WEIGHT.slot];
    const made =
      madeAtMs === null
        ? null
        : {
            madeAtMs,
            nextAtMs,
            watchedUntilMs: row[8],
            newestMs: row[9],
            configurationVersion: row[10],
            levelKg: row[11],
            kgPerDay: row[12],
            hadOperation: row[13],
          };
    return {
      deviceNo,
      capacityKg,
      version,
      // A silo whose weights are all implausible gets a forecast, too, which reports this.
      newestMs: latest?.tsMs ?? (made === null ? (latest?.badTsMs ?? null) : null),
      newestKg: latest?.value == null ? null : latest.value / 1_000,
      lateFromMs,
      isRunning: running > 0,
      made,
    };
  });
}

/** Returns the latest weight, even if it is implausible. */
export function newestWeight(openBucket: Uint8Array | null): LevelReading | null {
  const figures = openBucket === null ? undefined : openBucketFigures(openBucket)[WEIGHT.slot];
  if (figures === undefined) return null;
  const { tsMs, value, badTsMs, badValue } = figures;
  const isBad = badTsMs !== null && badTsMs > (tsMs ?? 0);
  const [atMs, grams] = isBad ? [badTsMs, badValue] : [tsMs, value];
  return atMs === null || grams === null ? null : { atMs, kg: grams / 1_000 };
}

/** All stored data of a silo that its forecast needs. */
export interface SiloRow {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly name: string;
  readonly capacityKg: number;
  readonly sensors: string | null;
  readonly facility: string;
  readonly version: number;
  readonly configuration: string;
  readonly lateFromMs: number | null;
  readonly lateMarks: number | null;
  readonly openBucket: Uint8Array | null;
  readonly configurationVersion: number | null;
  /** The level in the last forecast. */
  readonly levelKg: number | null;
  readonly state: string | null;
  readonly tail: string | null;
  readonly history: string | null;
}

export async function readSilo(sql: Sql, deviceNo: number): Promise<SiloRow | undefined> {
  const [row] = await sql.query<SiloRow>(
    `SELECT devices.device_no, devices.device_id, devices.name, devices.capacity_kg, devices.sensors, devices.facility,
       configurations.version, configurations.body AS configuration,
       late_readings.from_ms AS late_from_ms, late_readings.marks AS late_marks, open_buckets.body AS open_bucket,
       forecasts.configuration_version, forecasts.level_kg, forecasts.state, forecasts.tail,
       forecast_histories.body AS history
     FROM devices JOIN configurations ON configurations.device_no = devices.device_no
       LEFT JOIN open_buckets ON open_buckets.device_no = devices.device_no AND open_buckets.sensor_group = ${WEIGHT.group}
       LEFT JOIN late_readings ON late_readings.device_no = devices.device_no
       LEFT JOIN forecasts ON forecasts.device_no = devices.device_no
       LEFT JOIN forecast_histories ON forecast_histories.device_no = devices.device_no
     WHERE devices.device_no = $1 AND ${SILO}`,
    [deviceNo],
  );
  return row;
}

/** Reads the last weight of each five minutes. */
export async function readLevels(
  sql: Sql,
  deviceNo: number,
  fromMs: number,
  toMs: number,
): Promise<LevelReading[]> {
  const values = await readLastValues(sql, { deviceNo, lane: WEIGHT, interval: '5m', fromMs, toMs });
  return values.map(({ startMs, last }) => ({ atMs: startMs, kg: last / 1_000 }));
}

export async function readUseDays(sql: Sql, deviceNo: number, fromDay: number): Promise<UseDay[]> {
  return await sql.query<UseDay>(
    `SELECT day, kg, discharged_kg, refilled_kg, quiet_kg, flags, hours FROM use_days
     WHERE device_no = $1 AND day >= $2 ORDER BY day`,
    [deviceNo, fromDay],
  );
}

export interface RefillRow extends Omit<Refill, 'inGap'> {
  readonly refillId: string;
  readonly inGap: number;
  readonly beforeKg: number | null;
  readonly afterKg: number | null;
  readonly deliveryNoteKg: number | null;
  readonly product: string | null;
  readonly isRefill: number;
  readonly changedAtMs: number | null;
  readonly changedBy: string | null;
}

const REFILL_COLUMNS =
  'refill_id, from_ms, to_ms, kg, measured_kg, source, operation_id, in_gap, before_kg, after_kg, delivery_note_kg, refills.product, is_refill, changed_at_ms, changed_by';

/** Returns the refills that ended at or after a time, oldest first. */
export async function readRefills(sql: Sql, deviceNo: number, sinceMs: number): Promise<RefillRow[]> {
  return await sql.query<RefillRow>(
    `SELECT ${REFILL_COLUMNS} FROM refills WHERE device_no = $1 AND to_ms >= $2 ORDER BY from_ms`,
    [deviceNo, sinceMs],
  );
}

/** Does the same for several silos. */
export async function refillsOfSilos(
  sql: Sql,
  deviceNos: readonly number[],
  sinceMs: number,
): Promise<Map<number, RefillRow[]>> {
  const rows = await sql.query<RefillRow & { readonly deviceNo: number }>(
    `SELECT device_no, ${REFILL_COLUMNS} FROM refills
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} AND to_ms >= $2 ORDER BY from_ms`,
    [JSON.stringify(deviceNos), sinceMs],
  );
  return Map.groupBy(rows, ({ deviceNo }) => deviceNo);
}

export interface ListedRefill extends RefillRow {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly facility: string;
}

const REFILL_OF_DEVICE = `SELECT refills.device_no, devices.device_id, devices.facility, ${REFILL_COLUMNS}
  FROM refills JOIN devices ON devices.device_no = refills.device_no`;

export async function findRefill(sql: Sql, refillId: string): Promise<ListedRefill | undefined> {
  const [row] = await sql.query<ListedRefill>(`${REFILL_OF_DEVICE} WHERE refill_id = $1`, [refillId]);
  return row;
}

export interface RefillPage {
  readonly devices: DeviceSelection;
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

/** Lists the refills, newest first. */
export async function listRefills(sql: Sql, page: RefillPage): Promise<ListedRefill[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = selectionConditions(sql, page.devices, parameters);
  if (page.fromMs !== null) conditions.push(`from_ms >= ${bind(page.fromMs)}`);
  if (page.toMs !== null) conditions.push(`from_ms < ${bind(page.toMs)}`);
  if (page.beforeId !== null) {
    const id = bind(page.beforeId);
    conditions.push(`(from_ms, refill_id) < ((SELECT from_ms FROM refills WHERE refill_id = ${id}), ${id})`);
  }
  return await sql.query<ListedRefill>(
    `${REFILL_OF_DEVICE} ${where(conditions)} ORDER BY from_ms DESC, refill_id DESC LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
}

export interface RefillNote {
  readonly deliveryNoteKg: number | null;
  readonly product: string | null;
  readonly isRefill: number;
  readonly changedAtMs: number;
  readonly actor: Actor | null;
}

export async function noteRefill(sql: Sql, refillId: string, note: RefillNote): Promise<void> {
  await sql.run(
    `UPDATE refills SET delivery_note_kg = $2, product = $3, is_refill = $4, changed_at_ms = $5, changed_by = $6
     WHERE refill_id = $1`,
    [
      refillId,
      note.deliveryNoteKg,
      note.product,
      note.isRefill,
      note.changedAtMs,
      note.actor === null ? null : JSON.stringify(note.actor),
    ],
  );
}

export interface ListedForecast {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly name: string;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number;
  readonly product: string | null;
  readonly bushelKg: number | null;
  readonly orderByMs: number | null;
  readonly body: string;
}

export interface ForecastPage {
  readonly devices: DeviceSelection;
  readonly product: string | null;
  readonly status: string | null;
  readonly orderByBeforeMs: number | null;
  readonly sort: 'order_by' | 'device_id';
  /** The id of the last silo of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Silos without a time come last; the number is larger than any time. */
const ORDER = `COALESCE(order_by_ms, ${Number.MAX_SAFE_INTEGER})`;

export async function listForecasts(sql: Sql, page: ForecastPage): Promise<ListedForecast[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = ['devices.removed_at_ms IS NULL', ...selectionConditions(sql, page.devices, parameters)];
  if (page.product !== null) conditions.push(`forecasts.product = ${bind(page.product)}`);
  if (page.status !== null) conditions.push(`forecasts.status = ${bind(page.status)}`);
  if (page.orderByBeforeMs !== null) conditions.push(`order_by_ms < ${bind(page.orderByBeforeMs)}`);
  const isByOrder = page.sort === 'order_by';
  if (page.after !== null) {
    const id = bind(page.after);
    const place = `(SELECT ${ORDER} FROM forecasts JOIN devices USING (device_no) WHERE device_id = ${id})`;
    conditions.push(
      isByOrder ? `(${ORDER}, devices.device_id) > (${place}, ${id})` : `devices.device_id > ${id}`,
    );
  }
  return await sql.query<ListedForecast>(
    `SELECT forecasts.device_no, devices.device_id, devices.name, devices.facility, devices.zone, devices.capacity_kg,
       forecasts.product, forecasts.bushel_kg, order_by_ms, forecasts.body
     FROM forecasts JOIN devices ON devices.device_no = forecasts.device_no ${where(conditions)}
     ORDER BY ${isByOrder ? `${ORDER}, ` : ''}devices.device_id LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
}

export interface ListedFinding {
  readonly deviceId: string;
  readonly name: string;
  readonly type: string;
  readonly sensorId: string;
  readonly result: string;
  readonly sinceMs: number;
  readonly body: string;
}

export interface FindingPage {
  readonly devices: DeviceSelection;
  readonly type: string | null;
  readonly result: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** Lists the findings by device and type. The cursor is the number of the row. */
export async function listFindings(
  sql: Sql,
  page: FindingPage,
): Promise<(ListedFinding & { readonly findingNo: number })[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = ['devices.removed_at_ms IS NULL', ...selectionConditions(sql, page.devices, parameters)];
  if (page.type !== null) conditions.push(`type = ${bind(page.type)}`);
  if (page.result !== null) conditions.push(`result = ${bind(page.result)}`);
  if (page.after !== null) conditions.push(`finding_no > ${bind(Number(page.after))}`);
  return await sql.query(
    `SELECT finding_no, devices.device_id, devices.name, type, sensor_id, result, since_ms, body
     FROM findings JOIN devices ON devices.device_no = findings.device_no ${where(conditions)}
     ORDER BY finding_no LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
}

export interface StoredFinding {
  readonly type: string;
  readonly sensorId: string;
  readonly result: string;
  readonly sinceMs: number;
  readonly body: string;
}

export async function findingsOf(sql: Sql, deviceNo: number): Promise<StoredFinding[]> {
  return (await findingsOfSilos(sql, [deviceNo])).get(deviceNo) ?? [];
}

export async function findingsOfSilos(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<Map<number, StoredFinding[]>> {
  const rows = await sql.query<StoredFinding & { readonly deviceNo: number }>(
    `SELECT device_no, type, sensor_id, result, since_ms, body FROM findings
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY finding_no`,
    [JSON.stringify(deviceNos)],
  );
  return Map.groupBy(rows, ({ deviceNo }) => deviceNo);
}

/**
 * Takes the lease of the forecaster for this node until a time, unless another node has it. A lease that ends far ahead was
 * made before a clock was set back, and is ignored.
 */
export async function takeLease(sql: Sql, holder: string, nowMs: number, untilMs: number): Promise<boolean> {
  const taken = await sql.run(
    'UPDATE forecaster_lease SET holder = $1, until_ms = $2 WHERE holder = $1 OR until_ms <= $3 OR until_ms > $4',
    [holder, untilMs, nowMs, untilMs + HOUR_MS],
  );
  return taken === 1;
}
