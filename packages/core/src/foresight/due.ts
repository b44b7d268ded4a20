import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

/** The forecast of a silo that reports is made again after this time; it is made earlier only if something has happened. */
const EVERY_MS = HOUR_MS;
/** The time after which a forecast is made again while an operation runs, or while the level differs from the expected one. */
const SOON_MS = 30_000;
/** The time after which a forecast is made again while it is not known whether a rise of the weight stays. */
const WATCHED_EVERY_MS = 5 * MINUTE_MS;
/** A level is unexpected if it differs from the expected one by more than this share of the capacity. */
const JUMP_PART = 0.01;

export interface SiloNow {
  readonly capacityKg: number;
  readonly version: number;
  readonly newestMs: number | null;
  readonly newestKg: number | null;
  readonly lateFromMs: number | null;
  readonly isRunning: boolean;
  /** The last forecast; `null` if there is none. */
  readonly made: {
    readonly madeAtMs: number;
    readonly nextAtMs: number;
    readonly watchedUntilMs: number;
    readonly newestMs: number | null;
    readonly configurationVersion: number;
    readonly levelKg: number | null;
    readonly kgPerDay: number | null;
    readonly hadOperation: number;
  } | null;
}

/** Whether the forecast of a silo has to be made again. */
export function isForecastDue(silo: SiloNow, nowMs: number): boolean {
  const { made, newestMs } = silo;
  if (made === null) return newestMs !== null;
  if (silo.version !== made.configurationVersion || silo.lateFromMs !== null) return true;
  const ageMs = nowMs - made.madeAtMs;
  // The clock was set back.
  if (ageMs < 0) return true;
  if (silo.isRunning || made.hadOperation === 1) return ageMs >= SOON_MS;
  const isNews = newestMs !== null && (made.newestMs === null || newestMs > made.newestMs);
  if (!isNews) return nowMs >= made.nextAtMs;
  if (ageMs >= EVERY_MS) return true;
  if (nowMs < made.watchedUntilMs && ageMs >= WATCHED_EVERY_MS) return true;
  return ageMs >= SOON_MS && (isLongAfter(newestMs, made.newestMs) || isUnexpected(silo, ageMs));
}

/** Whether readings of a long time came at once, because a device sent its history or is back. */
const isLongAfter = (newestMs: number, knownMs: number | null): boolean =>
  knownMs === null || newestMs - knownMs >= EVERY_MS;

function isUnexpected({ made, newestKg, capacityKg }: SiloNow, ageMs: number): boolean {
  if (made === null || newestKg === null) return false;
  if (made.levelKg === null) return true;
  const expectedKg = made.levelKg - ((made.kgPerDay ?? 0) * ageMs) / DAY_MS;
  return Math.abs(newestKg - expectedKg) > JUMP_PART * capacityKg;
}
