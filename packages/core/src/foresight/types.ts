import type { ForecastReason } from '@granary/contract/sentences/foresight';
import type { LocalCalendar } from './local-calendar.ts';

/** A weight of the history: the last one of five minutes. */
export interface LevelReading {
  readonly atMs: number;
  readonly kg: number;
}

/** An operation that moved material, with the amount that it moved; `toMs` is the present while it runs. */
export interface Movement {
  readonly id: string;
  readonly type: 'feed' | 'discharge';
  readonly fromMs: number;
  readonly toMs: number;
  readonly kg: number;
}

/** What a person said of a detected rise: `fromMs` is that of the refill. */
interface RefillDenial {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Material that came in. `kg` counts in the balance; it is the amount of the operation, if there was one. */
export interface Refill {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kg: number;
  /** The rise that the scale shows, with the use meanwhile; `null` if no weights are known before and after it. */
  readonly measuredKg: number | null;
  readonly source: 'detected' | 'operation';
  /** Of the `feed` operation. */
  readonly operationId: string | null;
  /** It came while no weights were received: its time is only known to be between `fromMs` and `toMs`. */
  readonly inGap: boolean;
}

/** Bits of `UseDay.flags`. */
export const DAY_FLAGS = {
  /** Not over yet, or its last hour is not yet known. */
  open: 1,
  /** The level at its start or end was estimated over more than three hours without weights. */
  gap: 2,
  refill: 4,
  /** The weight did not change by a digit for ten hours: nothing was used, or the sensor is stuck. */
  still: 8,
  /** It was empty for some time, so that less was used than was wanted. */
  empty: 16,
} as const;

/** The balance of one local day, and what of it is stored: below 200 bytes. */
export interface UseDay {
  /** Days from 1970-01-01 to this date of the site's calendar. */
  readonly day: number;
  /** What left the silo: level at its start, plus refills, minus level at its end. Noise may make it negative. */
  readonly kg: number;
  /** The part of `kg` that `discharge` operations moved. */
  readonly dischargedKg: number;
  readonly refilledKg: number;
  /** Median weight from 02:00 to 04:00; `null` without weights. */
  readonly quietKg: number | null;
  readonly flags: number;
  /** The share of each local hour, 24 characters (`hourShares` reads them); `null` for an open day, one with a gap, and one with nearly no use. */
  readonly hours: string | null;
}

/** Stored between two passes as it is (JSON). Pass `null` to compute anew from the readings. */
export interface LedgerTail {
  /** The next pass needs the readings since then, and the operations that began since then. */
  readonly readFromMs: number;
  /** A reading or an operation before this time that was not given yet changes what is settled: compute anew. */
  readonly settledMs: number;
  /** The first day that may still change. */
  readonly openDay: number;
  /** The hours of UTC since `hoursFromMs`: median weight of each, as if no refill had come in this hour; `null` without weights. */
  readonly hoursFromMs: number;
  readonly hours: readonly (number | null)[];
  /** Those that began since `hoursFromMs` and before `readFromMs`. */
  readonly refills: readonly Refill[];
  readonly discharges: readonly Movement[];
}

/**
 * To compute days anew (late readings, an operation that became known later, a denied refill): `before: null`,
 * `firstDay` the day of the last reading before the change, and readings, movements and denials since
 * `LEDGER_MARGIN_MS` before the start of that day, up to now. The answer is then the same as if everything had come in order.
 */
export interface LedgerInput {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly capacityKg: number;
  readonly before: LedgerTail | null;
  /** The first day of the answer, if `before` is `null`. Days without weights at their start are left out. */
  readonly firstDay: number;
  /** Since `before.readFromMs`; in any order, repeated times are allowed. */
  readonly readings: readonly LevelReading[];
  /** Began since `before.readFromMs`. */
  readonly movements: readonly Movement[];
  /** Of rises since `LEDGER_MARGIN_MS` before `firstDay`. */
  readonly denials: readonly RefillDenial[];
}

export interface LevelNow {
  /** Median of the last half hour. */
  readonly kg: number;
  /** Standard deviation of `kg`. */
  readonly deviationKg: number;
  /** Of the latest reading. */
  readonly atMs: number;
  /** Since when the weight has not changed by a digit. */
  readonly unchangedSinceMs: number;
  /** Between two readings, of the latest ones: the median. */
  readonly everyMs: number;
}

export interface LedgerResult {
  /** To be stored in place of the stored days of the same dates; the last one is open. */
  readonly days: readonly UseDay[];
  /** To be stored in place of all refills of the silo with `fromMs >= refillsFromMs`. */
  readonly refills: readonly Refill[];
  readonly refillsFromMs: number;
  readonly level: LevelNow | null;
  readonly tail: LedgerTail;
}

export type AnimalKind = 'broiler' | 'layer' | 'pig' | 'dairy' | 'other';

/** Days are those of `UseDay.day`. */
export interface Animals {
  readonly kind: AnimalKind;
  readonly heads: number;
  readonly startedOnDay: number;
  readonly endsOnDay: number | null;
  /** Feed of one animal in kg a day, from the first day on, in place of the reference curve. */
  readonly curve: readonly number[] | null;
}

export interface PlannedDelivery {
  readonly atMs: number;
  readonly kg: number;
}

export interface Supply {
  readonly leadTimeH: number;
  /** Minutes after local midnight: an order after it counts as one of the next day. */
  /** `null`: an order counts from its own time on. */
  readonly cutOffMinute: number | null;
  /** By weekday, Monday first. */
  readonly deliveryDays: readonly boolean[];
  readonly minKg: number;
  readonly truckKg: number;
  readonly reservePercent: number;
  readonly planned: readonly PlannedDelivery[];
}

export interface SiloConfiguration {
  readonly capacityKg: number;
  readonly animals: Animals | null;
  readonly supply: Supply | null;
  readonly withdrawals: 'any' | 'operations_only';
}

/**
 * The history of a silo, stored as one document (JSON, about 6 KB): the latest `HISTORY_DAYS` days and what was
 * predicted at the start of the latest of them. It is a function of the days and the configuration alone, in whatever
 * order they became known.
 */
export interface History {
  /** Of what the predictions depend on beside the days. */
  readonly configurationKey: string;
  readonly firstDay: number;
  /** From `firstDay` on; `null` for a day that is not known. */
  readonly kg: readonly (number | null)[];
  readonly flags: readonly number[];
  /** `UseDay.hours` of the last `PROFILE_DAYS` days, the latest at the end. */
  readonly hours: readonly (string | null)[];
  /** In order of their days; the last one is the day after the last known day. */
  readonly origins: readonly Origin[];
  readonly range: Range;
}

/** How far the predictions of this silo were off, from its latest origins whose outcome is known. */
export interface Range {
  /** Factor of the usual width of 80 %. */
  readonly width: number;
  /** Outcomes of three days: how many, their mean error in hours, and how many were inside the range. */
  readonly scored: number;
  readonly meanErrorH: number;
  readonly inside: number;
}

/** What was predicted at the start of a local day from the days before it. */
export interface Origin {
  readonly day: number;
  /** Use in the next 1, 3 and 7 days by each method, kg; `null` where a method has no answer. */
  readonly methods: readonly (readonly number[] | null)[];
  /** Use in the next days by `HORIZON_DAYS`, by the weighted methods. */
  readonly kg: readonly number[];
}

export interface ForecastInput {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly configuration: SiloConfiguration;
  readonly history: History | null;
  readonly level: LevelNow | null;
  /** The latest weight, also if it cannot be one of this silo. */
  readonly newest: LevelReading | null;
  /** The refills of the last 14 days. */
  readonly refills: readonly Refill[];
  /** Of the path, 0 for none; the time of running empty is looked for in `EMPTY_WITHIN_DAYS` whatever this is. */
  readonly horizonDays: number;
}

const FORECAST_STATUSES = ['ok', 'learning', 'not_in_use', 'stale', 'unpredictable', 'empty'] as const;
export type ForecastStatus = (typeof FORECAST_STATUSES)[number];

/** `null`: later than `EMPTY_WITHIN_DAYS`, or not predictable. p10 is the early one. */
export interface EmptyTimes {
  readonly p10Ms: number | null;
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
}

export interface PathPoint {
  readonly atMs: number;
  readonly p10: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
}

export interface Suggestion {
  readonly kg: number;
  /** When all of it has room. */
  readonly fitsFromMs: number;
  readonly fitsNowKg: number;
  readonly deliverFromMs: number;
  readonly deliverToMs: number;
}

/** A delivery that was entered, and whether it has room. */
interface ExpectedDelivery extends PlannedDelivery {
  readonly fitsKg: number;
  /** When all of it has room; `null` if not in sight. */
  readonly fitsFromMs: number | null;
}

/** The same forecast if what was entered comes. */
export interface WithDeliveries {
  readonly deliveries: readonly ExpectedDelivery[];
  readonly empty: EmptyTimes | null;
  /** With a point before and one after each delivery. */
  readonly path: readonly PathPoint[];
}

/** Of the latest forecasts for `horizonDays`, whose outcome is known. */
interface Score {
  readonly horizonDays: number;
  readonly forecasts: number;
  /** The error of the use in hours: by how much the time of running empty was wrong. */
  readonly meanErrorH: number;
  readonly insidePercent: number;
}

export interface Forecast {
  readonly status: ForecastStatus;
  readonly madeAtMs: number;
  /** Of the silo. */
  readonly timeZone: string;
  readonly levelKg: number | null;
  /** Above the reserve. */
  readonly usableKg: number | null;
  readonly use: { readonly kgPerDay: number; readonly changePercent: number | null } | null;
  readonly empty: EmptyTimes | null;
  readonly orderByMs: number | null;
  readonly suggestion: Suggestion | null;
  readonly path: readonly PathPoint[];
  /** `null` where nothing was entered that is still to come. */
  readonly withDeliveries: WithDeliveries | null;
  readonly reasons: readonly ForecastReason[];
  readonly score: Score | null;
  /** Full days whose use is known: rules that need 14 days of history look here. */
  readonly knownDays: number;
}

/** Stored with the forecast (JSON); the first is `NO_PREDICTED_EMPTY`. */
export interface PredictedEmptyState {
  /** Forecasts in a row that are below the limit. */
  readonly streak: number;
  readonly severity: 'warning' | 'critical' | null;
  /** `fromMs` of the refill that began this cycle. */
  readonly cycleMs: number | null;
  /** Raised once since that refill. */
  readonly raised: boolean;
}

export interface PredictedEmptyInput {
  readonly state: PredictedEmptyState;
  readonly forecast: Forecast;
  readonly supply: Supply | null;
  readonly lastRefillMs: number | null;
}
