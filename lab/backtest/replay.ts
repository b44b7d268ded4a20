import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { forecastOf } from '@granary/core/foresight/forecast';
import { updateHistory } from '@granary/core/foresight/history';
import { LEDGER_MARGIN_MS, readLedger } from '@granary/core/foresight/ledger';
import { dayAt, localCalendar } from '@granary/core/foresight/local-calendar';
import { NO_PREDICTED_EMPTY, predictedEmpty } from '@granary/core/foresight/predicted-empty';
import type {
  Animals,
  Forecast,
  History,
  LedgerResult,
  LedgerTail,
  LevelReading,
  Refill,
  SiloConfiguration,
  UseDay,
} from '@granary/core/foresight/types';
import { BASELINES, type LevelAt } from './baselines.ts';
import { type Silo, SLOT_MS, START_MS, timeOf, ZONE } from './silo.ts';

const SLOTS_PER_HOUR = 12;
const STALE_MS = 6 * HOUR_MS;
/** Forecasts are made every three hours, and in the hour after a refill. */
const PASS_SLOTS = 3 * SLOTS_PER_HOUR;
const BACKLOG_SLOTS = SLOTS_PER_HOUR;

export interface Made {
  readonly slot: number;
  readonly forecast: Forecast;
  /** The true hours until the silo was empty. */
  readonly trueH: number;
  /** Whether the forecast was made in the hour after a refill. */
  readonly isAfterRefill: boolean;
  /** Whether the last reading was at most six hours old, and the scale had not been stuck for as long. */
  readonly hasReadings: boolean;
  /** The hours until empty by simpler methods, in the order of `BASELINES`; `NaN` if a method has no answer. */
  readonly baselineH: readonly number[];
}

interface Raised {
  readonly slot: number;
  readonly toSlot: number;
}

export interface Replayed {
  readonly silo: Silo;
  readonly made: readonly Made[];
  readonly days: ReadonlyMap<number, UseDay>;
  /** The detected refills, each with the slot in which it became known. */
  readonly refills: readonly { readonly refill: Refill; readonly knownSlot: number }[];
  readonly alerts: readonly Raised[];
  readonly history: History | null;
}

const calendar = localCalendar(ZONE, START_MS - 2 * DAY_MS, START_MS + 400 * DAY_MS);
if (calendar === null) throw new Error('the time zone is not known here');
const CALENDAR = calendar;
const FIRST_DAY = dayAt(CALENDAR, START_MS);

/** Replays the time of a silo as the service processes it: readings as they arrive, forecasts, and alerts. */
export function replay(silo: Silo, areAnimalsKnown: boolean): Replayed {
  const arrivals = arrivalsOf(silo);
  const days = new Map<number, UseDay>();
  const known = new Map<number, { refill: Refill; knownSlot: number }>();
  const made: Made[] = [];
  const alerts: { slot: number; toSlot: number }[] = [];
  let tail: LedgerTail | null = null;
  let history: History | null = null;
  let alert = NO_PREDICTED_EMPTY;
  const levels: LevelAt[] = [];
  let next = 0;
  const passes = passSlots(silo);
  for (const { slot, isForecast, isAfterRefill } of passes) {
    const nowMs = timeOf(slot);
    let earliest = Number.POSITIVE_INFINITY;
    while (next < arrivals.length && (silo.arrivesAt[arrivals[next] ?? 0] ?? 0) <= slot) {
      earliest = Math.min(earliest, arrivals[next] ?? 0);
      next += 1;
    }
    const result = ledgerPass(silo, slot, tail, earliest);
    tail = result.tail;
    for (const day of result.days) days.set(day.day, day);
    const old = [...known.entries()].filter(([atMs]) => atMs >= result.refillsFromMs);
    for (const [atMs] of old) known.delete(atMs);
    for (const refill of result.refills) {
      const same = old.find(([atMs]) => Math.abs(atMs - refill.fromMs) < HOUR_MS);
      known.set(refill.fromMs, { refill, knownSlot: same?.[1].knownSlot ?? slot });
    }
    if (!isForecast) continue;
    const configuration = configurationOf(silo, nowMs, areAnimalsKnown);
    history = updateHistory(history, result.days, configuration);
    const refills = [...known.values()].map(({ refill }) => refill);
    const forecast = forecastOf({
      nowMs,
      calendar: CALENDAR,
      configuration,
      history,
      level: result.level,
      newest: null,
      refills,
      horizonDays: 0,
    });
    if (result.level !== null) levels.push({ slot, kg: result.level.kg });
    const lastRefillSlot = lastSlot(refills);
    made.push({
      slot,
      forecast,
      trueH: silo.hoursToEmpty(slot),
      isAfterRefill,
      hasReadings: result.level !== null && nowMs - result.level.atMs <= STALE_MS && !isStuck(silo, slot),
      baselineH: BASELINES.map(({ hoursToEmpty }) =>
        hoursToEmpty({ dailyKg: history?.kg ?? [], levels, slot, lastRefillSlot }),
      ),
    });
    const lastRefillMs = refills.reduce<number | null>((last, one) => Math.max(last ?? 0, one.fromMs), null);
    const after = predictedEmpty({
      state: alert,
      forecast,
      supply: configuration.supply,
      lastRefillMs,
    });
    if (alert.severity === null && after.severity !== null) alerts.push({ slot, toSlot: silo.slots });
    const open = alerts.at(-1);
    if (alert.severity !== null && after.severity === null && open !== undefined) open.toSlot = slot;
    alert = after;
  }
  return { silo, made, days, refills: [...known.values()], alerts, history };
}

/** A pass over the new readings; readings of a settled day that arrive late are read again from the day before them on. */
function ledgerPass(silo: Silo, slot: number, tail: LedgerTail | null, earliestSlot: number): LedgerResult {
  const isLate = tail !== null && timeOf(earliestSlot) < tail.settledMs;
  const before = isLate ? null : tail;
  const anewMs = isLate ? timeOf(lastBefore(silo, earliestSlot, slot)) : START_MS;
  const fromMs = before?.readFromMs ?? Math.max(START_MS, anewMs - LEDGER_MARGIN_MS - DAY_MS);
  return readLedger({
    nowMs: timeOf(slot),
    calendar: CALENDAR,
    capacityKg: silo.capacityKg,
    before,
    firstDay: isLate ? dayAt(CALENDAR, anewMs) : FIRST_DAY,
    readings: readingsOf(silo, fromMs, slot),
    movements: [],
    denials: [],
  });
}

const isStuck = ({ reportedKg }: Silo, slot: number): boolean =>
  new Set(reportedKg.slice(Math.max(0, slot - 6 * SLOTS_PER_HOUR), slot + 1)).size === 1;

const lastSlot = (refills: readonly Refill[]): number =>
  refills.reduce((last, { toMs }) => Math.max(last, Math.ceil((toMs - START_MS) / SLOT_MS)), 0);

/** The slots in the order in which their reports arrived. */
function arrivalsOf(silo: Silo): number[] {
  const order: number[] = [];
  for (let slot = 0; slot < silo.slots; slot += 1) if (!Number.isNaN(silo.reportedKg[slot])) order.push(slot);
  return order.sort((a, b) => (silo.arrivesAt[a] ?? 0) - (silo.arrivesAt[b] ?? 0) || a - b);
}

function lastBefore(silo: Silo, slot: number, now: number): number {
  let at = slot - 1;
  while (at > 0 && (Number.isNaN(silo.reportedKg[at]) || (silo.arrivesAt[at] ?? 0) > now)) at -= 1;
  return Math.max(at, 0);
}

function readingsOf(silo: Silo, fromMs: number, now: number): LevelReading[] {
  const readings: LevelReading[] = [];
  for (let slot = Math.max(0, Math.ceil((fromMs - START_MS) / SLOT_MS)); slot <= now; slot += 1) {
    const kg = silo.reportedKg[slot] ?? Number.NaN;
    if (Number.isNaN(kg) || (silo.arrivesAt[slot] ?? 0) > now) continue;
    readings.push({ atMs: timeOf(slot), kg });
    // Devices send some readings twice.
    if (slot % 97 === 0) readings.push({ atMs: timeOf(slot), kg });
  }
  return readings;
}

interface Pass {
  readonly slot: number;
  readonly isForecast: boolean;
  readonly isAfterRefill: boolean;
}

function passSlots(silo: Silo): Pass[] {
  const passes = new Map<number, Pass>();
  for (let slot = PASS_SLOTS; slot < silo.slots; slot += PASS_SLOTS)
    passes.set(slot, { slot, isForecast: true, isAfterRefill: false });
  // Readings that were kept while the connection failed are processed as soon as they arrive.
  for (let slot = PASS_SLOTS; slot < silo.slots; slot += 1) {
    const arrives = silo.arrivesAt[slot] ?? slot;
    const isKept = arrives - slot >= BACKLOG_SLOTS && silo.arrivesAt[slot - 1] === arrives;
    if (isKept && arrives < silo.slots && !passes.has(arrives))
      passes.set(arrives, { slot: arrives, isForecast: false, isAfterRefill: false });
  }
  for (const { toMs } of silo.refills) {
    const end = Math.round((toMs - START_MS) / SLOT_MS);
    for (let slot = end + 2; slot <= end + 14; slot += 2)
      if (slot < silo.slots && !passes.has(slot))
        passes.set(slot, { slot, isForecast: slot === end + 10, isAfterRefill: slot === end + 10 });
  }
  return [...passes.values()].sort((a, b) => a.slot - b.slot);
}

function configurationOf(silo: Silo, nowMs: number, areAnimalsKnown: boolean): SiloConfiguration {
  const supply = {
    leadTimeH: silo.leadTimeH,
    cutOffMinute: 600,
    deliveryDays: [true, true, true, true, true, true, true],
    minKg: 0,
    truckKg: 0,
    reservePercent: 0,
    planned: [],
  };
  const animals = areAnimalsKnown ? animalsAt(silo, nowMs) : null;
  return { capacityKg: silo.capacityKg, animals, supply, withdrawals: 'any' };
}

/** The animals that the farmer has entered by then: those in the house, and some days ahead the next ones. */
function animalsAt(silo: Silo, nowMs: number): Animals | null {
  const today = dayAt(CALENDAR, nowMs);
  const herd = silo.herds.findLast(({ knownFromDay }) => FIRST_DAY + knownFromDay <= today);
  if (herd === undefined) return null;
  return {
    kind: herd.kind,
    heads: herd.heads,
    startedOnDay: FIRST_DAY + herd.startDay,
    endsOnDay: FIRST_DAY + herd.endDay,
    curve: null,
  };
}
