import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { Refusal } from '@granary/contract/errors';
import type { RefillPatch } from '@granary/contract/foresight/refills';
import type { PlannedDelivery, SiloUse } from '@granary/contract/foresight/silo-use';
import { checkedTimeMs, DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { ForesightAlarms } from '@granary/core/alerts/rules/foresight-rules';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { HISTORY_DAYS } from '@granary/core/foresight/history';
import { localCalendar } from '@granary/core/foresight/local-calendar';
import {
  findingRecord,
  forecastChange,
  refillRecord,
  type SiloFinding,
  type StoredRefill,
} from '@granary/core/foresight/record';
import type { Forecast } from '@granary/core/foresight/types';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { scheduleEvaluation } from '../alerts/evaluation-rows.ts';
import { writes as configurationWrites } from '../configuration/configuration.ts';
import { lockConfiguration } from '../configuration/configuration-rows.ts';
import { alertEvaluation, type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents, type NewEvent } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import { markLate } from '../telemetry/late-readings.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import { type ForecastWish, forecastSilo, type SiloOutcome, WATCHED_MS } from './forecast-silo.ts';
import {
  type FindingPage,
  type ForecastPage,
  findingsOf,
  findRefill,
  type ListedFinding,
  type ListedForecast,
  type ListedRefill,
  listFindings,
  listForecasts,
  listRefills,
  noteRefill,
  type RefillPage,
  readRefills,
  readSilo,
  saveFinding,
  sweepSilos,
  takeLease,
} from './foresight-rows.ts';
import { type GrainFacts, readGrain } from './grain.ts';

/** So old days are not needed by any forecast. */
const USE_DAYS_KEPT = HISTORY_DAYS + 30;

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

export interface ListedSiloForecast extends Omit<ListedForecast, 'body'> {
  readonly forecast: Forecast;
}

export interface GrainRead extends GrainFacts {
  readonly use: SiloUse;
}

export const reads = {
  sweep: (sql: Sql, afterNo: number, limit: number) => sweepSilos(sql, afterNo, limit),

  /** Computed from what is stored now; nothing is written. */
  forecast: (sql: Sql, deviceNo: number, wish: ForecastWish) => forecastSilo(sql, deviceNo, wish),

  async forecasts(sql: Sql, page: ForecastPage): Promise<ListedSiloForecast[]> {
    return (await listForecasts(sql, page)).map(({ body, ...silo }) => ({
      ...silo,
      forecast: JSON.parse(body),
    }));
  },

  async refills(sql: Sql, page: RefillPage): Promise<StoredRefill[]> {
    return (await listRefills(sql, page)).map(storedRefill);
  },

  async refill(
    sql: Sql,
    refillId: string,
  ): Promise<(StoredRefill & { readonly facility: string }) | undefined> {
    const row = await findRefill(sql, refillId);
    return row && { ...storedRefill(row), facility: row.facility };
  },

  async findings(
    sql: Sql,
    page: FindingPage,
  ): Promise<
    (Omit<ListedFinding, 'body'> & { readonly findingNo: number; readonly finding: SiloFinding })[]
  > {
    return (await listFindings(sql, page)).map(({ body, ...row }) => ({ ...row, finding: JSON.parse(body) }));
  },

  /** `null` where nothing is stored as grain and no cable is declared. */
  async grain(sql: Sql, deviceNo: number, { nowMs, timeZone }: ForecastWish): Promise<GrainRead | null> {
    const silo = await readSilo(sql, deviceNo);
    if (silo === undefined) return null;
    const use = storedConfiguration<SiloConfiguration>(silo.configuration);
    const fromMs = nowMs - 30 * DAY_MS;
    const calendar =
      localCalendar(use.time_zone ?? timeZone, fromMs, nowMs + DAY_MS) ?? localCalendar('UTC', fromMs, nowMs);
    if (calendar === null) return null;
    const refills = (await readRefills(sql, deviceNo, fromMs)).filter(({ isRefill }) => isRefill === 1);
    const wish = {
      nowMs,
      calendar,
      use,
      level: null,
      refills: refills.map((row) => ({ ...row, inGap: false })),
    };
    const facts = await readGrain(sql, silo, wish);
    return facts && { ...facts, use };
  },
};

export interface SavedForecasts {
  readonly outcomes: readonly SiloOutcome[];
  readonly nowMs: number;
}

export interface Planning {
  readonly deviceNo: number;
  readonly nowMs: number;
}

export const writes = {
  /** The forecasts of some silos with everything that led to them. A silo that was removed meanwhile is left out. */
  async save(tx: Transaction, { outcomes, nowMs }: SavedForecasts): Promise<Committed<number>> {
    const { sql } = tx;
    const silos = await sql.query<{ deviceNo: number; deviceId: string; name: string }>(
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
    // Another node may have made a later one.
    const isNewer = ({ deviceNo, forecast }: SiloOutcome) =>
      siloOf.has(deviceNo) && (before.get(deviceNo)?.madeAtMs ?? 0) <= forecast.madeAtMs;
    const kept = outcomes.filter(isNewer).toSorted((a, b) => a.deviceNo - b.deviceNo);
    const events: NewEvent[] = [];
    const toEvaluate: number[] = [];
    const rows: Record<string, string | number | null>[] = [];
    for (const outcome of kept) {
      const { deviceNo, forecast } = outcome;
      const silo = siloOf.get(deviceNo);
      if (silo === undefined) continue;
      const was = before.get(deviceNo);
      const change = forecastChange(silo.deviceId, was === undefined ? null : JSON.parse(was.body), forecast);
      if (change !== null) events.push({ type: 'forecast.changed', deviceNo, atMs: nowMs, data: change });
      events.push(...(await syncRefills(tx, silo, outcome, nowMs)));
      events.push(...(await syncFindings(sql, silo, outcome, nowMs)));
      const alarms = JSON.stringify(alarmsOf(outcome));
      if (alarms !== (was?.alarms ?? NO_ALARMS)) toEvaluate.push(deviceNo);
      rows.push(forecastRow(outcome, alarms, nowMs));
      if (outcome.lateMarks !== null) {
        await sql.run('DELETE FROM late_readings WHERE device_no = $1 AND marks = $2', [
          deviceNo,
          outcome.lateMarks,
        ]);
      }
    }
    await insertRows(sql, FORECASTS, rows);
    await insertRows(
      sql,
      HISTORIES,
      kept.flatMap(({ deviceNo, history }) => (history === null ? [] : [{ deviceNo, body: history }])),
    );
    await insertRows(
      sql,
      USE_DAYS,
      kept.flatMap(({ deviceNo, days }) => days.map((day) => ({ deviceNo, ...day }))),
    );
    await scheduleEvaluation(
      sql,
      toEvaluate.map((deviceNo) => ({ deviceNo, atMs: nowMs })),
    );
    await logEvents(tx, events);
    return committed(kept.length, ...alertEvaluation(toEvaluate), ...eventsLogged(events));
  },

  /** What a person knows of a refill. Days since one that was none are computed anew. */
  async noteRefill(
    tx: Transaction,
    {
      refillId,
      patch,
      nowMs,
    }: { readonly refillId: string; readonly patch: RefillPatch; readonly nowMs: number },
  ): Promise<Committed<StoredRefill>> {
    const row = await findRefill(tx.sql, refillId);
    if (row === undefined) throw new Refusal('refill_not_found', 'there is no such refill');
    const { delivery_note_kg: noteKg, product, is_refill: isRefill } = patch;
    await noteRefill(tx.sql, refillId, {
      deliveryNoteKg: noteKg === undefined ? row.deliveryNoteKg : noteKg,
      product: product === undefined ? row.product : product,
      isRefill: isRefill === undefined ? row.isRefill : Number(isRefill),
      changedAtMs: nowMs,
      actor: tx.actor,
    });
    await markLate(tx.sql, new Map([[row.deviceNo, row.fromMs]]));
    const changed = await findRefill(tx.sql, refillId);
    if (changed === undefined) throw new Error('the refill is gone');
    const refill = storedRefill(changed);
    const events: NewEvent[] = [
      { type: 'refill.changed', deviceNo: row.deviceNo, atMs: nowMs, data: refillRecord(refill) },
    ];
    await logEvents(tx, events);
    return committed(refill, ...eventsLogged(events));
  },

  /** A delivery at the same time is replaced. */
  async planDelivery(
    tx: Transaction,
    { deviceNo, nowMs, delivery }: Planning & { readonly delivery: PlannedDelivery },
  ): Promise<Committed<readonly PlannedDelivery[]>> {
    const atMs = checkedTimeMs(delivery.at);
    if (atMs <= nowMs) {
      throw new Refusal('invalid_input', 'the delivery is not valid', [
        { path: '/at', message: 'must be a time to come' },
      ]);
    }
    return await changePlanned(tx, { deviceNo, nowMs }, (planned) => [
      ...planned.filter(({ at }) => checkedTimeMs(at) !== atMs),
      delivery,
    ]);
  },

  /** One of them, or all if `at` is `null`. */
  async cancelDelivery(
    tx: Transaction,
    { deviceNo, nowMs, at }: Planning & { readonly at: string | null },
  ): Promise<Committed<readonly PlannedDelivery[]>> {
    return await changePlanned(tx, { deviceNo, nowMs }, (planned) =>
      at === null ? [] : planned.filter((one) => checkedTimeMs(one.at) !== checkedTimeMs(at)),
    );
  },

  /** Whether this node makes the forecasts until a time. */
  async takeLease(
    tx: Transaction,
    { holder, nowMs, untilMs }: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<Committed<boolean>> {
    return committed(await takeLease(tx.sql, holder, nowMs, untilMs));
  },

  /** Removes days and refills that no forecast needs; returns how many rows. */
  expire: longWrite(
    async (
      tx,
      { nowMs, refillsBeforeMs, rowsMax }: { nowMs: number; refillsBeforeMs: number; rowsMax: number },
    ) => {
      const oldestDay = Math.floor(nowMs / DAY_MS) - USE_DAYS_KEPT;
      const days = await tx.sql.run(
        'DELETE FROM use_days WHERE (device_no, day) IN (SELECT device_no, day FROM use_days WHERE day < $1 LIMIT $2)',
        [oldestDay, rowsMax],
      );
      const refills = await tx.sql.run(
        'DELETE FROM refills WHERE refill_no IN (SELECT refill_no FROM refills WHERE to_ms < $1 LIMIT $2)',
        [refillsBeforeMs, rowsMax],
      );
      return committed(days + refills);
    },
  ),
};

/** Planned deliveries are a part of the configuration, which has one history and one place. */
async function changePlanned(
  tx: Transaction,
  { deviceNo, nowMs }: Planning,
  change: (planned: readonly PlannedDelivery[]) => PlannedDelivery[],
): Promise<Committed<readonly PlannedDelivery[]>> {
  const current = await lockConfiguration(tx.sql, deviceNo);
  if (current === undefined) throw new Refusal('device_not_found', 'the device has no configuration');
  const { supply } = storedConfiguration<SiloConfiguration>(current.body);
  // Those that are long over would fill the list.
  const planned = (supply?.planned ?? []).filter(({ at }) => checkedTimeMs(at) > nowMs - DAY_MS);
  const wanted = change(planned);
  const { result, effects } = await configurationWrites.change(
    tx,
    deviceNo,
    { supply: { planned: wanted } },
    nowMs,
  );
  const { supply: changed } = result.configuration as SiloConfiguration;
  return committed(changed?.planned ?? [], ...effects);
}

const storedRefill = ({ isRefill, changedBy, ...row }: ListedRefill): StoredRefill => ({
  ...row,
  isRefill: isRefill === 1,
  changedBy: changedBy === null ? null : JSON.parse(changedBy),
});

function alarmsOf({ forecast, state, findings }: SiloOutcome): ForesightAlarms {
  const { severity } = state.predictedEmpty;
  return {
    // Only whether there are enough days matters.
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

function forecastRow(
  outcome: SiloOutcome,
  alarms: string,
  nowMs: number,
): Record<string, string | number | null> {
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
    hadOperation: Number(outcome.hadOperation),
    alarms,
    state: JSON.stringify(outcome.state),
    body: JSON.stringify({ ...forecast, path: [] }),
    tail: outcome.tail,
  };
}

interface NamedSilo {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly name: string;
}

/** A refill that is found again keeps its id and its note; one that was none stays as a person has said. */
async function syncRefills(
  tx: Transaction,
  { deviceNo, deviceId }: NamedSilo,
  { refills, refillsFromMs, product }: SiloOutcome,
  nowMs: number,
): Promise<NewEvent[]> {
  const { sql } = tx;
  const all = await readRefills(sql, deviceNo, refillsFromMs - HOUR_MS);
  const left = all.filter(({ isRefill, fromMs }) => isRefill === 1 && fromMs >= refillsFromMs);
  const events: NewEvent[] = [];
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
      await sql.run(
        `UPDATE refills SET from_ms = $2, to_ms = $3, kg = $4, measured_kg = $5, source = $6, operation_id = $7, in_gap = $8,
           before_kg = $9, after_kg = $10 WHERE refill_id = $1`,
        [known.refillId, fromMs, toMs, kg, measuredKg, source, operationId, Number(inGap), beforeKg, afterKg],
      );
      continue;
    }
    const refillId = newId('rf', nowMs);
    const row = { fromMs, toMs, kg, measuredKg, source, operationId, beforeKg, afterKg };
    await insertRows(sql, { table: 'refills' }, [
      { refillId, deviceNo, ...row, inGap: Number(inGap), product, isRefill: 1 },
    ]);
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
    events.push({ type: 'refill.detected', deviceNo, atMs: nowMs, data });
  }
  for (const { refillId, deliveryNoteKg } of left) {
    // A person has seen a refill that has a note.
    if (deliveryNoteKg === null) await sql.run('DELETE FROM refills WHERE refill_id = $1', [refillId]);
  }
  return events;
}

async function syncFindings(
  sql: Sql,
  { deviceNo, deviceId, name }: NamedSilo,
  { findings }: SiloOutcome,
  nowMs: number,
): Promise<NewEvent[]> {
  const stored = await findingsOf(sql, deviceNo);
  const events: NewEvent[] = [];
  for (const finding of findings) {
    const { type, sensorId, result } = finding;
    const was = stored.find((one) => one.type === type && one.sensorId === sensorId);
    const body = JSON.stringify(finding);
    const isSame = was?.result === result;
    // Evidence of what is in order is not written again with every forecast.
    if (isSame && (result !== 'fail' || was.body === body)) continue;
    const sinceMs = isSame ? was.sinceMs : nowMs;
    await saveFinding(sql, deviceNo, { type, sensorId, result, sinceMs, body });
    if (result === 'fail' && !isSame) {
      const data = findingRecord({ deviceId, name, sinceMs }, finding);
      events.push({ type: 'finding.raised', deviceNo, atMs: nowMs, data });
    }
  }
  const gone = stored.filter(
    (one) => !findings.some(({ type, sensorId }) => type === one.type && sensorId === one.sensorId),
  );
  for (const { type, sensorId } of gone) {
    await sql.run('DELETE FROM findings WHERE device_no = $1 AND type = $2 AND sensor_id = $3', [
      deviceNo,
      type,
      sensorId,
    ]);
  }
  return events;
}
