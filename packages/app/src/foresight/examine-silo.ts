import type { SiloUse } from '@granary/contract/foresight/silo-use';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { deliveryMismatch } from '@granary/core/foresight/findings/delivery-mismatch';
import { NO_FLOW_DAYS, noFlow } from '@granary/core/foresight/findings/no-flow';
import { sensorSuspect, usualSpreadKg } from '@granary/core/foresight/findings/sensor-suspect';
import { unexplainedLoss } from '@granary/core/foresight/findings/unexplained-loss';
import { hourProfile } from '@granary/core/foresight/history';
import { hourShares } from '@granary/core/foresight/hour-shares';
import { dayAt, hourOfDay, type LocalCalendar } from '@granary/core/foresight/local-calendar';
import type { SiloFinding } from '@granary/core/foresight/record';
import type {
  History,
  LevelNow,
  LevelReading,
  Movement,
  PredictedEmptyState,
  Refill,
  SiloConfiguration,
  UseDay,
} from '@granary/core/foresight/types';
import type { OperationState } from '@granary/core/operations/state';
import type { Sql } from '@granary/store/sql';
import { type RefillRow, readUseDays, type SiloRow } from './foresight-rows.ts';
import { grainFindings } from './grain.ts';

const NIGHTS = 30;
const HOURS = 24;
/** A delivery that is older than this is no longer compared with its note. */
const NOTE_MS = 30 * DAY_MS;

/** The state of a silo that is kept between two forecasts, in addition to the data for the balance of its days. */
export interface SiloState {
  readonly predictedEmpty: PredictedEmptyState;
  /** The difference between the greatest and the smallest weight on usual days. */
  readonly usualSpreadKg: number | null;
  readonly hadStopped: boolean;
}

export interface Examined {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly use: SiloUse;
  readonly configuration: SiloConfiguration;
  readonly history: History | null;
  readonly level: LevelNow | null;
  /** The readings of the last day or more. */
  readonly readings: readonly LevelReading[];
  /** The latest days, which were computed anew. */
  readonly days: readonly UseDay[];
  readonly refills: readonly Refill[];
  readonly notes: readonly RefillRow[];
  readonly movements: readonly Movement[];
  readonly running: OperationState | null;
  readonly before: SiloState | null;
}

/** Looks for blocked outlets, losses, wrong deliveries, bad sensors and heating grain. */
export async function examineSilo(
  sql: Sql,
  silo: SiloRow,
  examined: Examined,
): Promise<{
  readonly findings: SiloFinding[];
  readonly state: Pick<SiloState, 'usualSpreadKg' | 'hadStopped'>;
}> {
  const { nowMs, calendar, configuration, history, readings, before } = examined;
  const { capacityKg, withdrawals } = configuration;
  const today = dayAt(calendar, nowMs);
  const stored = await readUseDays(sql, silo.deviceNo, today - NIGHTS);
  const firstNew = examined.days[0]?.day ?? Number.POSITIVE_INFINITY;
  const days = [...stored.filter(({ day }) => day < firstNew), ...examined.days].filter(
    ({ day }) => day >= today - NIGHTS,
  );
  // The profile is computed only when it is needed: few silos have a fall or a standstill.
  let profile: readonly number[] | null = null;
  const hourAt = (ms: number): number => hourOfDay(calendar, dayAt(calendar, ms), ms);
  const shareAt = (ms: number): number => {
    profile ??= history === null ? [] : hourProfile(history);
    return profile[Math.min(HOURS - 1, Math.floor(hourAt(ms)))] ?? 1 / HOURS;
  };
  const lastDay = readings.filter(({ atMs }) => atMs >= nowMs - DAY_MS);
  const moved = [...examined.movements, ...examined.refills].filter(({ toMs }) => toMs >= nowMs - DAY_MS);
  const kgPerDay = meanOf(days.slice(-8, -1).map(({ kg }) => kg));
  const { running } = examined;
  const spreadKg = usualSpreadKg(readings) ?? null;
  const loss = unexplainedLoss({
    nowMs,
    capacityKg,
    withdrawals,
    days,
    readings: lastDay,
    movements: moved,
    usualShareAt: shareAt,
  });
  const flow = noFlow({
    nowMs,
    capacityKg,
    readings: readings.filter(({ atMs }) => atMs >= nowMs - 7 * HOUR_MS),
    running:
      running === null
        ? null
        : { fromMs: running.startedAtMs, kgPerMinute: (running.plan?.rateGPerMin ?? 0) / 1_000 },
    movements: moved.filter(({ toMs }) => toMs >= nowMs - 7 * HOUR_MS),
    past: days
      .filter(({ day }) => day < today && day >= today - NO_FLOW_DAYS)
      .map(({ day, kg, hours }) => ({ day, kg, shares: hours === null ? null : hourShares(hours) })),
    today,
    hourAt,
    isInUse: areAnimalsHere(configuration, today),
    hadStopped: before?.hadStopped ?? false,
  });
  const sensor = sensorSuspect({
    nowMs,
    capacityKg,
    withdrawals,
    readings: lastDay,
    usualSpreadKg: before?.usualSpreadKg ?? spreadKg,
    expectedUseKg: (fromMs, toMs) => expectedUse(kgPerDay, shareAt, fromMs, toMs),
    days,
  });
  const general = [flow, loss, sensor, ...deliveryFindings(examined)].map((finding) => ({
    sensorId: '',
    ...finding,
  }));
  return {
    findings: [
      ...general,
      ...(await grainFindings(sql, silo, { ...examined, levelKg: examined.level?.kg ?? null })),
    ],
    state: {
      usualSpreadKg: spreadKg !== null && spreadKg > 0 ? spreadKg : (before?.usualSpreadKg ?? null),
      hadStopped: flow.code === 'use_has_stopped',
    },
  };
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The expected use, from the shares of the hours of the day, in steps of an hour. */
function expectedUse(
  kgPerDay: number,
  shareAt: (ms: number) => number,
  fromMs: number,
  toMs: number,
): number {
  let kg = 0;
  for (let ms = fromMs; ms < toMs; ms += HOUR_MS) {
    kg += kgPerDay * shareAt(ms) * Math.min(1, (toMs - ms) / HOUR_MS);
  }
  return kg;
}

function areAnimalsHere({ animals }: SiloConfiguration, today: number): boolean {
  if (animals === null) return true;
  return today >= animals.startedOnDay && (animals.endsOnDay === null || today < animals.endsOnDay);
}

/** Compares the latest delivery that has a note. */
function deliveryFindings({ notes, level, nowMs }: Examined) {
  const noted = notes.flatMap(({ fromMs, toMs, measuredKg, deliveryNoteKg, isRefill }) =>
    isRefill === 1 && deliveryNoteKg !== null && measuredKg !== null
      ? [{ fromMs, toMs, notedKg: deliveryNoteKg, measuredKg }]
      : [],
  );
  const delivery = noted.at(-1);
  if (delivery === undefined || delivery.toMs < nowMs - NOTE_MS) return [];
  return [deliveryMismatch({ delivery, deviationKg: level?.deviationKg ?? 0, earlier: noted.slice(0, -1) })];
}
