import type { SiloConfiguration as StoredConfiguration } from '@granary/contract/configuration/silo-configuration';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { EMPTY_WITHIN_DAYS } from '@granary/core/foresight/ahead';
import { foresightConfiguration } from '@granary/core/foresight/configuration';
import { forecastOf } from '@granary/core/foresight/forecast';
import { bushelKg } from '@granary/core/foresight/grain/grains';
import { HISTORY_DAYS, updateHistory } from '@granary/core/foresight/history';
import { LEDGER_MARGIN_MS, readLedger } from '@granary/core/foresight/ledger';
import { dayAt, type LocalCalendar, localCalendar, startOfDay } from '@granary/core/foresight/local-calendar';
import { NO_PREDICTED_EMPTY, predictedEmpty } from '@granary/core/foresight/predicted-empty';
import type { SiloFinding } from '@granary/core/foresight/record';
import type {
  Forecast,
  History,
  LedgerTail,
  LevelReading,
  Movement,
  Refill,
  SiloConfiguration,
  UseDay,
} from '@granary/core/foresight/types';
import { type OperationState, reportedAmountG } from '@granary/core/operations/state';
import { finallyMeasuredG } from '@granary/core/operations/weighing';
import type { Sql } from '@granary/store/sql';
import { OPERATIONS } from '../operations/operation-rows.ts';
import { examineSilo, type SiloState } from './examine-silo.ts';
import {
  newestWeight,
  type RefillRow,
  readLevels,
  readRefills,
  readSilo,
  readUseDays,
  type SiloRow,
} from './foresight-rows.ts';

const REFILLS_MS = 14 * DAY_MS;
/** The range of readings that findings examine: a little more than the last day. */
const EXAMINED_MS = 25 * HOUR_MS;
/** For this time after a jump of its level, a silo is examined again and again, until the cause of the jump is known. */
export const WATCHED_MS = 100 * MINUTE_MS;
const LEVEL_OLD_MS = 6 * HOUR_MS;
const CALENDARS_KEPT_MAX = 64;

interface StoredTail {
  readonly zone: string;
  readonly tail: LedgerTail;
}

/** A refill with the weights beside it. */
interface WeighedRefill extends Refill {
  readonly beforeKg: number | null;
  readonly afterKg: number | null;
}

/** Everything that a new forecast changes; a value that is `null` is not changed. */
export interface SiloOutcome {
  readonly deviceNo: number;
  readonly configurationVersion: number;
  readonly product: string | null;
  readonly bushelKg: number | null;
  readonly forecast: Forecast;
  readonly newestMs: number | null;
  readonly nextAtMs: number;
  readonly hadOperation: boolean;
  readonly hasJumped: boolean;
  readonly days: readonly UseDay[];
  readonly refills: readonly WeighedRefill[];
  readonly refillsFromMs: number;
  readonly state: SiloState;
  readonly findings: readonly SiloFinding[];
  readonly tail: string;
  readonly history: string | null;
  /** The number of marks of late readings that the forecast has taken into account. */
  readonly lateMarks: number | null;
}

export interface ForecastWish {
  readonly nowMs: number;
  /** The time zone of silos whose configuration names none. */
  readonly timeZone: string;
  readonly horizonDays: number;
}

const calendars = new Map<string, LocalCalendar>();

/** Looking up a time zone takes longer than a forecast, so silos of one zone share their days. */
function calendarOf(zone: string, nowMs: number): LocalCalendar {
  const today = Math.floor(nowMs / DAY_MS);
  const key = `${zone} ${today}`;
  const known = calendars.get(key);
  if (known !== undefined) return known;
  const fromMs = (today - HISTORY_DAYS - 3) * DAY_MS;
  const toMs = (today + EMPTY_WITHIN_DAYS + 3) * DAY_MS;
  const made = localCalendar(zone, fromMs, toMs) ?? localCalendar('UTC', fromMs, toMs);
  if (made === null) throw new Error('there is no calendar');
  if (calendars.size >= CALENDARS_KEPT_MAX) calendars.clear();
  calendars.set(key, made);
  return made;
}

/** Reads the amounts that operations have moved. Operations that moved nothing, or whose amount is not known, are left out. */
async function readMovements(
  sql: Sql,
  deviceNo: number,
  fromMs: number,
  nowMs: number,
): Promise<{ readonly movements: Movement[]; readonly running: OperationState | null }> {
  const operations = await OPERATIONS.where(
    sql,
    'device_no = $1 AND (is_finished = 0 OR ended_at_ms >= $2)',
    [deviceNo, fromMs],
  );
  const movements = operations.flatMap((operation): Movement[] => {
    const movedG = finallyMeasuredG(operation) ?? reportedAmountG(operation) ?? operation.measuredG;
    const { type, startedAtMs, endedAtMs, operationId } = operation;
    if (type === null || movedG === null || movedG <= 0 || startedAtMs < fromMs) return [];
    return [{ id: operationId, type, fromMs: startedAtMs, toMs: endedAtMs ?? nowMs, kg: movedG / 1_000 }];
  });
  const running = operations.find(({ status }) => status === 'in_progress') ?? null;
  return { movements, running };
}

interface LedgerStart {
  readonly before: LedgerTail | null;
  readonly firstDay: number;
  readonly fromMs: number;
}

/**
 * Returns where the balance continues: usually at the end of the stored balance; if older readings have changed, at the day of
 * the earliest of them; without a stored balance in this time zone, at the oldest day of the history.
 */
function ledgerStart(silo: SiloRow, zone: string, calendar: LocalCalendar, nowMs: number): LedgerStart {
  const today = dayAt(calendar, nowMs);
  const oldestDay = today - HISTORY_DAYS + 1;
  const stored = silo.tail === null ? null : (JSON.parse(silo.tail) as StoredTail);
  const { lateFromMs } = silo;
  if (stored === null || stored.zone !== zone) {
    return { before: null, firstDay: oldestDay, fromMs: startOfDay(calendar, oldestDay) - LEDGER_MARGIN_MS };
  }
  const { tail } = stored;
  if (lateFromMs === null || lateFromMs >= tail.settledMs) {
    return { before: tail, firstDay: tail.openDay, fromMs: tail.readFromMs };
  }
  return anewFrom(Math.max(oldestDay, dayAt(calendar, lateFromMs)), calendar);
}

function anewFrom(firstDay: number, calendar: LocalCalendar): LedgerStart {
  return { before: null, firstDay, fromMs: startOfDay(calendar, firstDay) - LEDGER_MARGIN_MS };
}

/** The day of the last weight before a change, because the balance of that day ends with the next weight. */
async function lastKnownDay(
  sql: Sql,
  deviceNo: number,
  start: LedgerStart,
  calendar: LocalCalendar,
): Promise<LedgerStart> {
  if (start.before !== null) return start;
  const startMs = startOfDay(calendar, start.firstDay);
  const before = await readUseDays(sql, deviceNo, start.firstDay - HISTORY_DAYS);
  const last = before.findLast(({ day }) => day < start.firstDay);
  return last === undefined || startOfDay(calendar, last.day + 1) >= startMs
    ? start
    : anewFrom(last.day, calendar);
}

/** A silo for which no forecast could be made. */
export interface FailedSilo {
  readonly deviceNo: number;
  readonly reason: string;
}

/** Makes the forecasts of those silos that exist, and reports the silos that failed. */
export async function forecastSilos(
  sql: Sql,
  deviceNos: readonly number[],
  wish: ForecastWish,
): Promise<{ readonly outcomes: SiloOutcome[]; readonly failed: FailedSilo[] }> {
  // All forecasts run at once, because statements that are given together are sent to the server together.
  const settled = await Promise.allSettled(deviceNos.map((deviceNo) => forecastSilo(sql, deviceNo, wish)));
  const outcomes: SiloOutcome[] = [];
  const failed: FailedSilo[] = [];
  for (const [index, deviceNo] of deviceNos.entries()) {
    const result = settled[index];
    try {
      // A statement that fails makes those that were sent with it fail, so each is tried again alone.
      const outcome = result?.status === 'fulfilled' ? result.value : await forecastSilo(sql, deviceNo, wish);
      if (outcome !== undefined) outcomes.push(outcome);
    } catch (error) {
      failed.push({ deviceNo, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { outcomes, failed };
}

/** Reads the stored data of a silo and makes its forecast; nothing is written. Returns `undefined` if there is no such silo. */
async function forecastSilo(
  sql: Sql,
  deviceNo: number,
  { nowMs, timeZone, horizonDays }: ForecastWish,
): Promise<SiloOutcome | undefined> {
  const silo = await readSilo(sql, deviceNo);
  if (silo === undefined) return undefined;
  const use = storedConfiguration<StoredConfiguration>(silo.configuration);
  const zone = use.time_zone ?? timeZone;
  const calendar = calendarOf(zone, nowMs);
  const configuration = foresightConfiguration(silo.capacityKg, use);
  const start = await lastKnownDay(sql, deviceNo, ledgerStart(silo, zone, calendar, nowMs), calendar);
  const readFromMs = Math.min(start.fromMs, nowMs - EXAMINED_MS);
  const read = await readLevels(sql, deviceNo, readFromMs, nowMs + MINUTE_MS);
  const { movements, running } = await readMovements(sql, deviceNo, start.fromMs, nowMs);
  const stored = await readRefills(sql, deviceNo, Math.min(start.fromMs, nowMs - REFILLS_MS));
  const ledger = readLedger({
    nowMs,
    calendar,
    capacityKg: silo.capacityKg,
    before: start.before,
    firstDay: start.firstDay,
    readings: read.filter(({ atMs }) => atMs >= start.fromMs),
    movements,
    denials: stored.filter(({ isRefill }) => isRefill === 0),
  });
  const oldestDay = dayAt(calendar, nowMs) - HISTORY_DAYS;
  const { known, history } = await readHistory(sql, silo, configuration, {
    oldestDay,
    firstDay: start.firstDay,
    days: ledger.days,
  });
  const refills = [
    ...stored.filter(({ isRefill, fromMs }) => isRefill === 1 && fromMs < ledger.refillsFromMs).map(asRefill),
    ...ledger.refills,
  ].filter(({ toMs }) => toMs >= nowMs - REFILLS_MS);
  const forecast = forecastOf({
    nowMs,
    calendar,
    configuration,
    history,
    level: ledger.level,
    newest: newestWeight(silo.openBucket),
    refills,
    horizonDays,
  });
  const before = silo.state === null ? null : (JSON.parse(silo.state) as SiloState);
  const examined = await examineSilo(sql, silo, {
    nowMs,
    calendar,
    use,
    configuration,
    history,
    level: ledger.level,
    readings: read,
    days: ledger.days,
    refills,
    notes: stored,
    movements,
    running,
    before,
  });
  return {
    deviceNo,
    configurationVersion: silo.version,
    product: use.product?.name ?? null,
    bushelKg: bushelKg(use.product),
    forecast,
    newestMs: read.at(-1)?.atMs ?? null,
    nextAtMs: nextForecastMs(ledger.level?.atMs ?? null, nowMs),
    hadOperation: running !== null,
    hasJumped: hasJumped(read, silo.capacityKg, nowMs),
    days: ledger.days,
    refills: ledger.refills.map((refill) => withLevels(refill, read)),
    refillsFromMs: ledger.refillsFromMs,
    state: {
      ...examined.state,
      predictedEmpty: predictedEmpty({
        state: before?.predictedEmpty ?? NO_PREDICTED_EMPTY,
        forecast,
        supply: configuration.supply,
        lastRefillMs: refills.at(-1)?.fromMs ?? null,
      }),
    },
    findings: examined.findings,
    tail: JSON.stringify({ zone, tail: ledger.tail } satisfies StoredTail),
    history:
      history === known || history === null ? null : changedText(JSON.stringify(history), silo.history),
    lateMarks: silo.lateMarks,
  };
}

/** A forecast is due again when its level counts as old, and otherwise after a day. */
const nextForecastMs = (levelMs: number | null, nowMs: number): number =>
  levelMs !== null && levelMs > nowMs - LEVEL_OLD_MS ? levelMs + LEVEL_OLD_MS + MINUTE_MS : nowMs + DAY_MS;

const withLevels = (refill: Refill, readings: readonly LevelReading[]) => ({
  ...refill,
  beforeKg: readings.findLast(({ atMs }) => atMs <= refill.fromMs)?.kg ?? null,
  afterKg: readings.find(({ atMs }) => atMs >= refill.toMs)?.kg ?? null,
});

/** The history with the days of the balance. After a change of the configuration it is made from all stored days. */
async function readHistory(
  sql: Sql,
  silo: SiloRow,
  configuration: SiloConfiguration,
  { oldestDay, firstDay, days }: { oldestDay: number; firstDay: number; days: readonly UseDay[] },
) {
  const known = silo.history === null ? null : (JSON.parse(silo.history) as History);
  const isSame = known !== null && silo.configurationVersion === silo.version;
  const stored = isSame ? [] : await readUseDays(sql, silo.deviceNo, oldestDay);
  const all = [...stored.filter(({ day }) => day < firstDay), ...days];
  return { known, history: updateHistory(isSame ? known : null, all, configuration) };
}

const changedText = (text: string, before: string | null): string | null => (text === before ? null : text);

const asRefill = ({ fromMs, toMs, kg, measuredKg, source, operationId, inGap }: RefillRow): Refill => ({
  fromMs,
  toMs,
  kg,
  measuredKg,
  source,
  operationId,
  inGap: inGap === 1,
});

/** A rise of the last hours may be a refill; that is certain only when the level has stayed high for some time. */
function hasJumped(readings: readonly LevelReading[], capacityKg: number, nowMs: number): boolean {
  const recent = readings.filter(({ atMs }) => atMs >= nowMs - WATCHED_MS).map(({ kg }) => kg);
  const last = recent.at(-1);
  return last !== undefined && last - Math.min(...recent) > 0.02 * capacityKg;
}
