import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';

/** A forecast of a silo that reports is made anew after this time; earlier only if something has happened. */
const EVERY_MS = HOUR_MS;
/** While an operation runs, and while the level does what nobody expected. */
const SOON_MS = 30_000;
/** While it is not known whether a rise stays. */
const WATCHED_EVERY_MS = 5 * MINUTE_MS;
/** Further from what was expected than this part of the capacity. */
const JUMP_PART = 0.01;

export interface SiloNow {
  readonly capacityKg: number;
  readonly version: number;
  readonly newestMs: number | null;
  readonly newestKg: number | null;
  readonly lateFromMs: number | null;
  readonly isRunning: boolean;
  /** `null` without a forecast. */
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

/** Whether the forecast of a silo has to be made anew. */
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

/** The readings of a long time came at once: a history was sent, or a device is back. */
const isLongAfter = (newestMs: number, knownMs: number | null): boolean =>
  knownMs === null || newestMs - knownMs >= EVERY_MS;

function isUnexpected({ made, newestKg, capacityKg }: SiloNow, ageMs: number): boolean {
  if (made === null || newestKg === null) return false;
  if (made.levelKg === null) return true;
  const expectedKg = made.levelKg - ((made.kgPerDay ?? 0) * ageMs) / DAY_MS;
  return Math.abs(newestKg - expectedKg) > JUMP_PART * capacityKg;
}
