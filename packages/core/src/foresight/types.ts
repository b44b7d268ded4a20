import type { ForecastReason } from '@granary/contract/sentences/foresight';
import type { LocalCalendar } from './local-calendar.ts';

/** A weight of the history: the last one of each five minutes. */
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

/** The statement of a person that a detected rise was no refill; `fromMs` is that of the refill. */
interface RefillDenial {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Material that came in. `kg` counts in the balance: the amount of an operation if the scale does not contradict it, else the measured one. */
export interface Refill {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kg: number;
  /** The rise that the scale shows, plus the use meanwhile; `null` if no weights before and after it are known. */
  readonly measuredKg: number | null;
  readonly source: 'detected' | 'operation';
  /** The id of the `feed` operation. */
  readonly operationId: string | null;
  /** Whether the refill came while no weights arrived: its time is only known to be between `fromMs` and `toMs`. */
  readonly inGap: boolean;
}

/** Bits of `UseDay.flags`. */
export const DAY_FLAGS = {
  /** The day is not over yet, or its last hour is not known yet. */
  open: 1,
  /** The level at the start or end of the day was estimated, because the nearest weights are several hours away. */
  gap: 2,
  refill: 4,
  /** The weight did not change by a digit for ten hours: nothing was used, or the sensor is stuck. */
  still: 8,
  /** The silo was empty for some time, so less was used than was needed. */
  empty: 16,
} as const;

/** The balance of one local day, and its stored form: below 200 bytes. */
export interface UseDay {
  /** Days from 1970-01-01 to this date of the site's calendar. */
  readonly day: number;
  /** The amount that left the silo: level at the start, plus refills, minus level at the end. Noise may make it negative. */
  readonly kg: number;
  /** The part of `kg` that `discharge` operations moved. */
  readonly dischargedKg: number;
  readonly refilledKg: number;
  /** The median weight from 02:00 to 04:00; `null` if there are no weights. */
  readonly quietKg: number | null;
  readonly flags: number;
  /**
   * The share of each local hour in 24 characters, which `hourShares` reads; `null` for an open day, a day with a gap, and a
   * day with nearly no use.
   */
  readonly hours: string | null;
}

/** The state between two passes, stored as it is (JSON). Pass `null` to compute everything again from the readings. */
export interface LedgerTail {
  /** The next pass needs the readings since this time, and the operations that began since this time. */
  readonly readFromMs: number;
  /** A reading or an operation before this time that arrives later changes settled days, which then have to be computed again. */
  readonly settledMs: number;
  /** The first day that may still change. */
  readonly openDay: number;
  /** The start of `hours`: the median weight of each hour of UTC, as if no refill had come in this hour; `null` without weights. */
  readonly hoursFromMs: number;
  readonly hours: readonly (number | null)[];
  /** The refills and discharges that began since `hoursFromMs` and before `readFromMs`. */
  readonly refills: readonly Refill[];
  readonly discharges: readonly Movement[];
}

/**
 * To compute days again (late readings, an operation that became known later, a denied refill), pass `before: null`, as
 * `firstDay` the day of the last reading before the change, and the readings, movements and denials since `LEDGER_MARGIN_MS`
 * before the start of that day. The answer is then the same as if everything had arrived in order.
 */
export interface LedgerInput {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly capacityKg: number;
  readonly before: LedgerTail | null;
  /** The first day of the answer, if `before` is `null`. Days without weights at the start are left out. */
  readonly firstDay: number;
  /** The readings since `before.readFromMs`, in any order; repeated times are allowed. */
  readonly readings: readonly LevelReading[];
  /** The operations that began since `before.readFromMs`. */
  readonly movements: readonly Movement[];
  /** The denials of rises since `LEDGER_MARGIN_MS` before `firstDay`. */
  readonly denials: readonly RefillDenial[];
}

export interface LevelNow {
  /** The median of the last half hour. */
  readonly kg: number;
  /** The standard deviation of `kg`. */
  readonly deviationKg: number;
  /** The time of the latest reading. */
  readonly atMs: number;
  /** Since when the weight has not changed by a digit. */
  readonly unchangedSinceMs: number;
  /** The median time between two of the latest readings. */
  readonly everyMs: number;
}

export interface LedgerResult {
  /** Replaces the stored days with the same dates; the last day is open. */
  readonly days: readonly UseDay[];
  /** Replaces all stored refills of the silo with `fromMs >= refillsFromMs`. */
  readonly refills: readonly Refill[];
  readonly refillsFromMs: number;
  readonly level: LevelNow | null;
  readonly tail: LedgerTail;
}

export type AnimalKind = 'broiler' | 'layer' | 'pig' | 'dairy' | 'other';

/** The numbers of days are those of `UseDay.day`. */
export interface Animals {
  readonly kind: AnimalKind;
  readonly heads: number;
  readonly startedOnDay: number;
  readonly endsOnDay: number | null;
  /** The feed of one animal in kg for each day from the first one on; it replaces the reference curve. */
  readonly curve: readonly number[] | null;
}

export interface PlannedDelivery {
  readonly atMs: number;
  readonly kg: number;
}

export interface Supply {
  readonly leadTimeH: number;
  /** Minutes after local midnight; a later order counts as one of the next day. `null` means that an order counts immediately. */
  readonly cutOffMinute: number | null;
  /** One value for each weekday, Monday first. */
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
 * The history of a silo, stored as one document (JSON, about 6 KB): the latest `HISTORY_DAYS` days, and the predictions at
 * the start of the latest of them. It depends only on the days and the configuration, in whatever order the days became
 * known.
 */
export interface History {
  /** Stands for all settings on which the predictions depend. */
  readonly configurationKey: string;
  readonly firstDay: number;
  /** The use of each day from `firstDay` on; `null` for a day whose use is not known. */
  readonly kg: readonly (number | null)[];
  readonly flags: readonly number[];
  /** The values of `UseDay.hours` of the last `PROFILE_DAYS` days, the latest at the end. */
  readonly hours: readonly (string | null)[];
  /** Ordered by day; the last origin is the day after the last known day. */
  readonly origins: readonly Origin[];
  readonly range: Range;
}

/** How far the predictions of this silo were off, from its latest origins whose outcome is known. */
export interface Range {
  /** The factor of the usual width of the 80 % range. */
  readonly width: number;
  /** The outcomes over three days: their number, their mean error in hours, and how many were inside the range. */
  readonly scored: number;
  readonly meanErrorH: number;
  readonly inside: number;
}

/** The predictions at the start of a local day, from the days before it. */
export interface Origin {
  readonly day: number;
  /** The use in the next 1, 3 and 7 days by each method, in kg; `null` if a method has no answer. */
  readonly methods: readonly (readonly number[] | null)[];
  /** The use in the next days, for each of `HORIZON_DAYS`, by the weighted methods. */
  readonly kg: readonly number[];
}

export interface ForecastInput {
  readonly nowMs: number;
  readonly calendar: LocalCalendar;
  readonly configuration: SiloConfiguration;
  readonly history: History | null;
  readonly level: LevelNow | null;
  /** The latest weight, even if it is impossible for this silo. */
  readonly newest: LevelReading | null;
  /** The refills of the last 14 days. */
  readonly refills: readonly Refill[];
  /** The length of the path, 0 for no path. The time of running empty is always computed within `EMPTY_WITHIN_DAYS`. */
  readonly horizonDays: number;
}

const FORECAST_STATUSES = ['ok', 'learning', 'not_in_use', 'stale', 'unpredictable', 'empty'] as const;
export type ForecastStatus = (typeof FORECAST_STATUSES)[number];

/** A time is `null` if it is later than `EMPTY_WITHIN_DAYS` or not predictable. p10 is the early one. */
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
  /** The time from which all of the amount has room. */
  readonly fitsFromMs: number;
  readonly fitsNowKg: number;
  readonly deliverFromMs: number;
  readonly deliverToMs: number;
}

/** An entered delivery, and whether it has room. */
interface ExpectedDelivery extends PlannedDelivery {
  readonly fitsKg: number;
  /** The time from which all of the delivery has room; `null` if that is not foreseeable. */
  readonly fitsFromMs: number | null;
}

/** The same forecast if the entered deliveries come. */
export interface WithDeliveries {
  readonly deliveries: readonly ExpectedDelivery[];
  readonly empty: EmptyTimes | null;
  /** Has one point before and one after each delivery. */
  readonly path: readonly PathPoint[];
}

/** The score of the latest forecasts for `horizonDays` whose outcome is known. */
interface Score {
  readonly horizonDays: number;
  readonly forecasts: number;
  /** The mean error of the use in hours: by how much the time of running empty was wrong. */
  readonly meanErrorH: number;
  readonly insidePercent: number;
}

export interface Forecast {
  readonly status: ForecastStatus;
  readonly madeAtMs: number;
  /** The time zone of the silo. */
  readonly timeZone: string;
  readonly levelKg: number | null;
  /** The part of the level above the reserve. */
  readonly usableKg: number | null;
  readonly use: { readonly kgPerDay: number; readonly changePercent: number | null } | null;
  readonly empty: EmptyTimes | null;
  readonly orderByMs: number | null;
  readonly suggestion: Suggestion | null;
  readonly path: readonly PathPoint[];
  /** `null` if no entered delivery is still to come. */
  readonly withDeliveries: WithDeliveries | null;
  readonly reasons: readonly ForecastReason[];
  readonly score: Score | null;
  /** The number of full days whose use is known; rules that need 14 days of history use it. */
  readonly knownDays: number;
}

/** The state that is stored with the forecast (JSON); the first one is `NO_PREDICTED_EMPTY`. */
export interface PredictedEmptyState {
  /** The number of consecutive forecasts below the limit. */
  readonly streak: number;
  readonly severity: 'warning' | 'critical' | null;
  /** `fromMs` of the refill with which the present cycle began. */
  readonly cycleMs: number | null;
  /** Whether the alert was raised since that refill. */
  readonly raised: boolean;
}

export interface PredictedEmptyInput {
  readonly state: PredictedEmptyState;
  readonly forecast: Forecast;
  readonly supply: Supply | null;
  readonly lastRefillMs: number | null;
}
