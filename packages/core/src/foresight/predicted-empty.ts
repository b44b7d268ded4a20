import { HOUR_MS } from '@granary/contract/time';
import type { Forecast, PredictedEmptyInput, PredictedEmptyState } from './types.ts';

/** The lead time that is assumed for a silo without `supply`. */
const LEAD_TIME_H = 48;
/** The time to notice the alert and to order. */
const MARGIN_H = 12;
const CRITICAL_H = 12;
/** Without a delivery in time, the alert clears only when the early end is later than the limit by this much. */
const DEAD_BAND_H = 24;
/**
 * The early end of a wide range does not raise the alert alone: the expected time must be within this many times the limit.
 * If only the early end is known, it must be within half of the limit.
 */
const EXPECTED_TIMES = 1.4;
/** A truck may come this late. */
const TRUCK_LATE_H = 1;
/** A refill that comes up to this long before a planned delivery counts as that delivery. */
const TRUCK_EARLY_H = 24;
/** An alert that was raised before is raised again only if the planned delivery comes at least this much too late. */
const COVERED_BAND_H = 12;
/** With fewer known days of history nothing is raised. */
const KNOWN_DAYS_MIN = 14;
/** The number of consecutive forecasts below the limit that raise the alert. */
const STREAK = 2;
/** The limit as a share of the usual time between two refills, if this time is shorter than the assumed limit. */
const OFTEN_PART = 0.25;

export const NO_PREDICTED_EMPTY: PredictedEmptyState = {
  streak: 0,
  severity: null,
  cycleMs: null,
  raised: false,
};

/**
 * The state of the condition `predicted_empty` after a new forecast; its `severity` is that of the alert, `null` for no
 * alert. A warning is raised once between two refills; it may become critical. A planned delivery that comes in time ends
 * it; a delivery that comes too late, or not at all, raises it again.
 */
export function predictedEmpty(input: PredictedEmptyInput): PredictedEmptyState {
  const { state, forecast, supply, lastRefillMs } = input;
  // A refill that is computed again may begin some minutes earlier or later and is still the same refill.
  const isNewCycle =
    lastRefillMs !== null && lastRefillMs > (state.cycleMs ?? Number.NEGATIVE_INFINITY) + HOUR_MS;
  const was: PredictedEmptyState = isNewCycle
    ? { streak: 0, severity: null, cycleMs: lastRefillMs, raised: false }
    : state;
  const isEmpty = forecast.status === 'empty' && was.severity !== null;
  const p10Ms = isEmpty ? forecast.madeAtMs : (forecast.empty?.p10Ms ?? null);
  // Without a new answer the old state stays, because a silent sensor does not mean that the silo was filled.
  if (p10Ms === null && !(forecast.status === 'ok' || forecast.status === 'not_in_use')) return was;
  const leftH = p10Ms === null ? Number.POSITIVE_INFINITY : (p10Ms - forecast.madeAtMs) / HOUR_MS;
  const limitH = supply === null ? usualLimitH(forecast) : supply.leadTimeH + MARGIN_H;
  const planned = supply?.planned ?? [];
  const bandH = was.raised && was.severity === null && leftH > CRITICAL_H ? COVERED_BAND_H : 0;
  const isCovered = planned.some(
    ({ atMs }) => atMs <= (p10Ms ?? 0) + bandH * HOUR_MS && atMs > forecast.madeAtMs - TRUCK_LATE_H * HOUR_MS,
  );
  const isTooLate =
    !isCovered &&
    planned.some(({ atMs }) => atMs > (lastRefillMs ?? Number.NEGATIVE_INFINITY) + TRUCK_EARLY_H * HOUR_MS);
  const p50Ms = isEmpty ? forecast.madeAtMs : (forecast.empty?.p50Ms ?? null);
  const expectedH = p50Ms === null ? Number.POSITIVE_INFINITY : (p50Ms - forecast.madeAtMs) / HOUR_MS;
  const isExpected =
    forecast.status === 'unpredictable' ? leftH <= limitH / 2 : expectedH <= EXPECTED_TIMES * limitH;
  const isDue = leftH <= limitH && isExpected && !isCovered && forecast.knownDays >= KNOWN_DAYS_MIN;
  const streak = isDue ? Math.min(was.streak + 1, STREAK) : 0;
  const severity = leftH <= CRITICAL_H ? 'critical' : 'warning';
  if (was.severity !== null) {
    const isOver = leftH > limitH + DEAD_BAND_H || isCovered;
    const next = was.severity === 'critical' ? 'critical' : severity;
    return { streak, severity: isOver ? null : next, cycleMs: was.cycleMs, raised: true };
  }
  const mayRaise = streak >= STREAK && (!was.raised || severity === 'critical' || isTooLate);
  return {
    streak,
    severity: mayRaise ? severity : null,
    cycleMs: was.cycleMs,
    raised: was.raised || mayRaise,
  };
}

/**
 * The limit without `supply`. A silo that is refilled more often than the assumed lead time is supplied faster, so it gets a
 * shorter limit.
 */
function usualLimitH({ reasons }: Forecast): number {
  const limitH = LEAD_TIME_H + MARGIN_H;
  const refills = reasons.find(({ code }) => code === 'refills')?.values;
  const everyH = (Number(refills?.['days']) * 24) / Number(refills?.['count']);
  return everyH < limitH ? everyH * OFTEN_PART : limitH;
}
