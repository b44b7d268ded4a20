import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { ForesightAlarms } from '@granary/core/alerts/rules/foresight-rules';
import {
  findingRecord,
  forecastChange,
  refillRecord,
  type SiloFinding,
} from '@granary/core/foresight/record';
import { insertRowsUnawaited } from '@granary/store/rows';
import type { Value } from '@granary/store/sql';
import { scheduleEvaluation } from '../alerts/evaluation-rows.ts';
import { alertEvaluation, type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import type { Transaction } from '../transaction.ts';
import { type SiloOutcome, WATCHED_MS } from './forecast-silo.ts';
import { findingsOfSilos, type RefillRow, refillsOfSilos, type StoredFinding } from './foresight-rows.ts';

const FORECASTS = {
  table: 'forecasts',
  onConflict: `ON CONFLICT (device_no) DO UPDATE SET ${[
    'made_at_ms',
    'next_at_ms',
    'watched_until_ms',
    'newest_ms',
    'configuration_version',
    'status',
    'level_kg',
    'kg_per_day',
    'order_by_ms',
    'product',
    'bushel_kg',
    'had_operation',
    'alarms',
    'state',
    'body',
    'tail',
  ]
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
};
const HISTORIES = {
  table: 'forecast_histories',
  onConflict: 'ON CONFLICT (device_no) DO UPDATE SET body = excluded.body',
};
const USE_DAYS = {
  table: 'use_days',
  onConflict: `ON CONFLICT (device_no, day) DO UPDATE SET ${[
    'kg',
    'discharged_kg',
    'refilled_kg',
    'quiet_kg',
    'flags',
    'hours',
  ]
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
};

const FINDINGS = {
  table: 'findings',
  onConflict: `ON CONFLICT (device_no, type, sensor_id)
    DO UPDATE SET result = excluded.result, since_ms = excluded.since_ms, body = excluded.body`,
};

export interface SavedForecasts {
  readonly outcomes: readonly SiloOutcome[];
  readonly nowMs: number;
}

/** Reads and writes the rows of several silos together: a statement for each would cost more than its forecast. */
export async function saveForecasts(
  tx: Transaction,
  { outcomes, nowMs }: SavedForecasts,
): Promise<Committed<number>> {
  const { sql } = tx;
  const silos = await sql.query<NamedSilo>(
    `SELECT device_no, device_id, name FROM devices
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} AND removed_at_ms IS NULL`,
    [JSON.stringify(outcomes.map(({ deviceNo }) => deviceNo))],
  );
  const siloOf = new Map(silos.map((silo) => [silo.deviceNo, silo]));
  const stored = await sql.query<{ deviceNo: number; madeAtMs: number; body: string; alarms: string }>(
    `SELECT device_no, made_at_ms, body, alarms FROM forecasts
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no ${sql.forUpdate}`,
    [JSON.stringify(silos.map(({ deviceNo }) => deviceNo))],
  );
  const before = new Map(stored.map((row) => [row.deviceNo, row]));
  // Another node may have made a later forecast.
  const isNewer = ({ deviceNo, forecast }: SiloOutcome) =>
    siloOf.has(deviceNo) && (before.get(deviceNo)?.madeAtMs ?? 0) <= forecast.madeAtMs;
  const kept = outcomes.filter(isNewer).toSorted((a, b) => a.deviceNo - b.deviceNo);
  if (kept.length === 0) return committed(0);
  const deviceNos = kept.map(({ deviceNo }) => deviceNo);
  const sinceMs = Math.min(...kept.map(({ refillsFromMs }) => refillsFromMs)) - HOUR_MS;
  const [refills, findings] = await Promise.all([
    refillsOfSilos(sql, deviceNos, sinceMs),
    findingsOfSilos(sql, deviceNos),
  ]);
  const events: NewEvent[] = [];
  const toEvaluate: number[] = [];
  const rows: Row[] = [];
  const newRefills: Row[] = [];
  const newFindings: Row[] = [];
  for (const outcome of kept) {
    const { deviceNo, forecast } = outcome;
    const silo = siloOf.get(deviceNo);
    if (silo === undefined) continue;
    const was = before.get(deviceNo);
    const change = forecastChange(silo.deviceId, was === undefined ? null : JSON.parse(was.body), forecast);
    if (change !== null) events.push({ type: 'forecast.changed', deviceNo, atMs: nowMs, data: change });
    const found = await syncRefills(tx, silo, outcome, refills.get(deviceNo) ?? [], nowMs);
    newRefills.push(...found.rows);
    const examined = await syncFindings(tx, silo, outcome, findings.get(deviceNo) ?? [], nowMs);
    newFindings.push(...examined.rows);
    events.push(...found.events, ...examined.events);
    const alarms = JSON.stringify(alarmsOf(outcome));
    if (alarms !== (was?.alarms ?? NO_ALARMS)) toEvaluate.push(deviceNo);
    rows.push(forecastRow(outcome, alarms, nowMs));
    if (outcome.lateMarks !== null) {
      await sql.runUnawaited('DELETE FROM late_readings WHERE device_no = $1 AND marks = $2', [
        deviceNo,
        outcome.lateMarks,
      ]);
    }
  }
  const histories = kept.flatMap(({ deviceNo, history }) =>
    history === null ? [] : [{ deviceNo, body: history }],
  );
  const days = kept.flatMap((silo) => silo.days.map((day) => ({ deviceNo: silo.deviceNo, ...day })));
  await insertRowsUnawaited(sql, FORECASTS, rows);
  await insertRowsUnawaited(sql, HISTORIES, histories);
  await insertRowsUnawaited(sql, USE_DAYS, days);
  await insertRowsUnawaited(sql, { table: 'refills' }, newRefills);
  await insertRowsUnawaited(sql, FINDINGS, newFindings);
  await scheduleEvaluation(
    sql,
    toEvaluate.map((deviceNo) => ({ deviceNo, atMs: nowMs })),
  );
  await logEvents(tx, events);
  return committed(kept.length, ...alertEvaluation(toEvaluate), ...eventsLogged(events));
}

function alarmsOf({ forecast, state, findings }: SiloOutcome): ForesightAlarms {
  const { severity } = state.predictedEmpty;
  return {
    // A number above 14 makes no difference, because only the question whether there are enough days matters.
    knownDays: Math.min(forecast.knownDays, 14),
    predictedEmpty:
      severity === null
        ? null
        : { severity, madeAtMs: forecast.madeAtMs, p10Ms: forecast.empty?.p10Ms ?? null },
    failed: findings.filter((finding) => finding.result === 'fail'),
    inconclusive: findings.flatMap(({ type, result }) => (result === 'inconclusive' ? [type] : [])),
  };
}

const NO_ALARMS = '';

function forecastRow(outcome: SiloOutcome, alarms: string, nowMs: number): Row {
  const { deviceNo, forecast } = outcome;
  return {
    deviceNo,
    madeAtMs: forecast.madeAtMs,
    nextAtMs: outcome.nextAtMs,
    watchedUntilMs: outcome.hasJumped ? nowMs + WATCHED_MS : 0,
    newestMs: outcome.newestMs,
    configurationVersion: outcome.configurationVersion,
    status: forecast.status,
    levelKg: forecast.levelKg,
    kgPerDay: forecast.use?.kgPerDay ?? null,
    orderByMs: forecast.orderByMs,
    product: outcome.product,
    bushelKg: outcome.bushelKg,
    hadOperation: Number(outcome.hadOperation),
    alarms,
    state: JSON.stringify(outcome.state),
    body: JSON.stringify({ ...forecast, path: [] }),
    tail: outcome.tail,
  };
}

type Row = Record<string, Value>;

/** The rows and events that have to be written for a silo. */
interface Changes {
  readonly rows: Row[];
  readonly events: NewEvent[];
}

interface NamedSilo {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly name: string;
}

/** A refill that is found again keeps its id and its note. If a person has said that it was no refill, that statement stays. */
async function syncRefills(
  { sql }: Transaction,
  { deviceNo, deviceId }: NamedSilo,
  { refills, refillsFromMs, product }: SiloOutcome,
  stored: readonly RefillRow[],
  nowMs: number,
): Promise<Changes> {
  const left = stored.filter(({ isRefill, fromMs }) => isRefill === 1 && fromMs >= refillsFromMs);
  const changes: Changes = { rows: [], events: [] };
  for (const refill of refills) {
    const at = left.findIndex(
      (one) =>
        (one.operationId !== null && one.operationId === refill.operationId) ||
        (one.fromMs <= refill.toMs && one.toMs >= refill.fromMs),
    );
    const [known] = at < 0 ? [] : left.splice(at, 1);
    const { fromMs, toMs, kg, measuredKg, source, operationId, inGap, beforeKg, afterKg } = refill;
    if (known !== undefined) {
      if (known.toMs === toMs && known.kg === kg && known.fromMs === fromMs) continue;
      await sql.runUnawaited(
        `UPDATE refills SET from_ms = $2, to_ms = $3, kg = $4, measured_kg = $5, source = $6, operation_id = $7, in_gap = $8,
           before_kg = $9, after_kg = $10 WHERE refill_id = $1`,
        [known.refillId, fromMs, toMs, kg, measuredKg, source, operationId, Number(inGap), beforeKg, afterKg],
      );
      continue;
    }
    const refillId = newId('rf', nowMs);
    const row = { fromMs, toMs, kg, measuredKg, source, operationId, beforeKg, afterKg };
    changes.rows.push({ refillId, deviceNo, ...row, inGap: Number(inGap), product, isRefill: 1 });
    const data = refillRecord({
      ...row,
      refillId,
      deviceId,
      deliveryNoteKg: null,
      product,
      isRefill: true,
      changedAtMs: null,
      changedBy: null,
    });
    changes.events.push({ type: 'refill.detected', deviceNo, atMs: nowMs, data });
  }
  for (const { refillId, deliveryNoteKg } of left) {
    // A person has seen a refill that has a note, so it stays.
    if (deliveryNoteKg === null)
      await sql.runUnawaited('DELETE FROM refills WHERE refill_id = $1', [refillId]);
  }
  return changes;
}

/**
 * Returns whether the same finding was stored within a day, and no older readings have changed. It is then not written again, because
 * an unchanged finding need not be stored with every forecast.
 */
const isLately = (finding: SiloFinding, was: SiloFinding, lateMarks: number | null): boolean =>
  lateMarks === null && was.code === finding.code && finding.toMs - was.toMs < DAY_MS;

async function syncFindings(
  { sql }: Transaction,
  { deviceNo, deviceId, name }: NamedSilo,
  { findings, lateMarks }: SiloOutcome,
  stored: readonly StoredFinding[],
  nowMs: number,
): Promise<Changes> {
  const changes: Changes = { rows: [], events: [] };
  for (const finding of findings) {
    const { type, sensorId, result } = finding;
    const was = stored.find((one) => one.type === type && one.sensorId === sensorId);
    const body = JSON.stringify(finding);
    const isSame = was?.result === result;
    if (isSame && was.body === body) continue;
    if (isSame && result !== 'fail' && isLately(finding, JSON.parse(was.body), lateMarks)) continue;
    const sinceMs = isSame ? was.sinceMs : nowMs;
    changes.rows.push({ deviceNo, type, sensorId, result, sinceMs, body });
    if (result === 'fail' && !isSame) {
      const data = findingRecord({ deviceId, name, sinceMs }, finding);
      changes.events.push({ type: 'finding.raised', deviceNo, atMs: nowMs, data });
    }
  }
  const gone = stored.filter(
    (one) => !findings.some(({ type, sensorId }) => type === one.type && sensorId === one.sensorId),
  );
  for (const { type, sensorId } of gone) {
    await sql.runUnawaited('DELETE FROM findings WHERE device_no = $1 AND type = $2 AND sensor_id = $3', [
      deviceNo,
      type,
      sensorId,
    ]);
  }
  return changes;
}
