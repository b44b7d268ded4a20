import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { DAY_MS, HOUR_MS, toIso } from '@granary/contract/time';
import { EMPTY_WITHIN_DAYS } from '@granary/core/foresight/ahead';
import { foresightConfiguration } from '@granary/core/foresight/configuration';
import { forecastOf } from '@granary/core/foresight/forecast';
import { updateHistory } from '@granary/core/foresight/history';
import { readLedger } from '@granary/core/foresight/ledger';
import { dayAt, localCalendar, startOfDay } from '@granary/core/foresight/local-calendar';
import type { History, LedgerTail, LevelReading, PathPoint, Refill } from '@granary/core/foresight/types';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import type { Define } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';
import { progressBar, progressLine } from '../../terminal/progress.ts';
import type { Column } from '../../terminal/table.ts';

const HORIZONS_DAYS = [1, 3, 7] as const;
const DAYS_DEFAULT = 90;
const DAYS_MAX = 700;
const DAYS_PER_READ = 30;
/** Forecasts are made at this hour of each day. */
const ORIGIN_MS = 8 * HOUR_MS;

interface Values extends AccessValues {
  readonly device: string;
  readonly days: number;
}

interface Result {
  readonly horizon_days: number;
  readonly forecasts: number;
  readonly mean_error_kg: number;
  readonly mean_error_h: number;
  readonly inside_percent: number;
}

const COLUMNS: readonly Column<Result>[] = [
  { title: 'HORIZON', text: ({ horizon_days: days }) => `${days} ${days === 1 ? 'day' : 'days'}` },
  { title: 'FORECASTS', text: ({ forecasts }) => String(forecasts) },
  {
    title: 'MEAN ERROR',
    text: ({ mean_error_kg, mean_error_h }) => `${mean_error_kg} kg, ${mean_error_h} h`,
  },
  { title: 'INSIDE 80 % RANGE', text: ({ inside_percent }) => `${inside_percent} %` },
];

export const backtest: Define = (command, environment) => {
  command
    .description(
      'Replays the stored weights of a silo, day by day, and compares each forecast with what happened.',
    )
    .requiredOption('--device <id>', 'the silo')
    .option('--days <n>', `how many days (${DAYS_DEFAULT})`, wholeDays, DAYS_DEFAULT);
  withExamples(command, 'granary backtest --device silo-01 --days 90');
  withAccess(command).action(async (values: Values) => {
    const { device: deviceId, days } = values;
    const client = accessClient(values, environment.env);
    const { capacity } = await client.devices.silo.get(deviceId);
    const { configuration } = await client.configuration.silo.get(deviceId);
    const line = progressLine(process.stderr);
    const show = (share: number, words: string): void =>
      line.show(progressBar(share, words, environment.terminal));
    const nowMs = Date.now();
    const readings: LevelReading[] = [];
    for (let done = 0; done < days; done += DAYS_PER_READ) {
      show((done / days) * 0.5, 'reading the weights');
      const fromMs = nowMs - (days - done) * DAY_MS;
      const query = {
        sensor: 'level',
        unit: 'kg',
        interval: '5m',
        aggregate: 'last',
        from: toIso(fromMs),
        to: toIso(Math.min(nowMs, fromMs + DAYS_PER_READ * DAY_MS)),
      } as const;
      const { points } = await client.telemetry.history(deviceId, query);
      readings.push(...points.map(({ timestamp, value }) => ({ atMs: Date.parse(timestamp), kg: value })));
    }
    const results = replay(readings, capacity.max, configuration, nowMs, (share) =>
      show(0.5 + share / 2, 'making forecasts'),
    );
    const output = outputOf(environment, values.json);
    line.above(() => output.list(COLUMNS, results, 'There are too few days for a forecast.'));
  });
};

function wholeDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 10 && days <= DAYS_MAX) return days;
  throw new UsageError(`--days must be a whole number from 10 to ${DAYS_MAX}`);
}

interface Origin {
  readonly atMs: number;
  readonly kgPerDay: number;
  readonly path: readonly PathPoint[];
}

/** Makes the forecasts again, each only from the readings before it. */
function replay(
  readings: readonly LevelReading[],
  capacityKg: number,
  use: SiloConfiguration,
  nowMs: number,
  onProgress: (share: number) => void,
): Result[] {
  const [first] = readings;
  if (first === undefined) return [];
  const zone = use.time_zone ?? 'UTC';
  const calendar = localCalendar(zone, first.atMs - DAY_MS, nowMs + (EMPTY_WITHIN_DAYS + 2) * DAY_MS);
  if (calendar === null) return [];
  const configuration = foresightConfiguration(capacityKg, use);
  const firstDay = dayAt(calendar, first.atMs);
  const lastDay = dayAt(calendar, nowMs);
  const origins: Origin[] = [];
  let before: LedgerTail | null = null;
  let history: History | null = null;
  let refills: Refill[] = [];
  for (let day = firstDay + 1; day <= lastDay; day++) {
    onProgress((day - firstDay) / (lastDay - firstDay + 1));
    const atMs: number = Math.min(nowMs, startOfDay(calendar, day) + ORIGIN_MS);
    const fromMs: number = before?.readFromMs ?? 0;
    const known = readings.filter((reading) => reading.atMs >= fromMs && reading.atMs <= atMs);
    const ledger = readLedger({
      nowMs: atMs,
      calendar,
      capacityKg,
      before,
      firstDay,
      readings: known,
      movements: [],
      denials: [],
    });
    before = ledger.tail;
    refills = [...refills.filter((refill) => refill.fromMs < ledger.refillsFromMs), ...ledger.refills];
    history = updateHistory(history, ledger.days, configuration);
    const made = forecastOf({
      nowMs: atMs,
      calendar,
      configuration,
      history,
      level: ledger.level,
      newest: null,
      refills: refills.filter(({ toMs }) => toMs >= atMs - 14 * DAY_MS),
      horizonDays: Math.max(...HORIZONS_DAYS) + 1,
    });
    if (made.status === 'ok' && made.use !== null) {
      origins.push({ atMs, kgPerDay: made.use.kgPerDay, path: made.path });
    }
  }
  return HORIZONS_DAYS.map((days) => resultOf(days, origins, readings, refills));
}

/** Compares a forecast with the level that there would be without the refills after it. */
function resultOf(
  days: number,
  origins: readonly Origin[],
  readings: readonly LevelReading[],
  refills: readonly Refill[],
): Result {
  const compared = origins.flatMap(({ atMs, kgPerDay, path }) => {
    const thenMs = atMs + days * DAY_MS;
    const point = path.find((one) => one.atMs >= thenMs);
    const measured = readings.findLast((reading) => reading.atMs <= thenMs);
    const isKnown = measured !== undefined && thenMs - measured.atMs <= HOUR_MS;
    if (point === undefined || !isKnown || (readings.at(-1)?.atMs ?? 0) < thenMs) return [];
    const filledKg = refills
      .filter(({ fromMs }) => fromMs > atMs && fromMs <= thenMs)
      .reduce((sum, { kg }) => sum + kg, 0);
    const kg = measured.kg - filledKg;
    // A forecast of an empty silo is left out: silos are refilled before they are empty, so their further use is not known.
    if (point.p50 <= 0 || kgPerDay <= 0) return [];
    return [{ errorKg: Math.abs(kg - point.p50), kgPerDay, isInside: kg >= point.p10 && kg <= point.p90 }];
  });
  const mean = (of: (one: (typeof compared)[number]) => number): number =>
    compared.length === 0 ? 0 : compared.reduce((sum, one) => sum + of(one), 0) / compared.length;
  return {
    horizon_days: days,
    forecasts: compared.length,
    mean_error_kg: Math.round(mean(({ errorKg }) => errorKg)),
    mean_error_h: Math.round(mean(({ errorKg, kgPerDay }) => (24 * errorKg) / kgPerDay) * 10) / 10,
    inside_percent: Math.round(100 * mean(({ isInside }) => Number(isInside))),
  };
}
