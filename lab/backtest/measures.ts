import type { Refill } from '@granary/core/foresight/types';
import { BASELINES } from './baselines.ts';
import type { Made, Replayed } from './replay.ts';
import { SLOT_MS, START_MS, type TrueRefill, timeOf } from './silo.ts';

/** The ranges of true hours until empty that count as one, three and seven days. */
const HORIZONS = [
  { name: '1 d', fromH: 0, toH: 36 },
  { name: '3 d', fromH: 48, toH: 96 },
  { name: '7 d', fromH: 120, toH: 216 },
] as const;
const HOUR_MS = 3_600_000;
/** The longest time for which a scale is stuck. */
const SEEN_LATER_MS = 30 * HOUR_MS;
const DAY_SLOTS = 288;
/** The first days are not measured. */
const FIRST_SLOT = 8 * DAY_SLOTS;
/** The last days are not measured, because their future is not known. */
const UNKNOWN_SLOTS = 14 * DAY_SLOTS;
/** Alerts are measured from here on, because none is raised before fourteen days are known. */
const FIRST_ALERT_SLOT = 16 * DAY_SLOTS;
const FLAP_SLOTS = 3 * DAY_SLOTS;
/** The margin of `predicted_empty` before the lead time; an alert with more than twice the time left is false. */
const ALERT_MARGIN_H = 12;

interface Errors {
  readonly count: number;
  readonly meanH: number;
  readonly biasH: number;
  readonly withoutDate: number;
  readonly coveredPercent: number;
  readonly widthH: number;
  /** The width of the range of the method "level / mean of 7 days", which also covers 80 %. */
  readonly baselineWidthH: number;
  readonly baselinesH: readonly number[];
  readonly lateBy12HPercent: number;
}

export interface Measures {
  readonly horizons: readonly Errors[];
  readonly coveredPercent: number;
  readonly widthRatio: number;
  /** The percentage of answered silo-days, of those on which readings arrived; the next one is of all silo-days. */
  readonly answeredPercent: number;
  readonly answeredOfAllPercent: number;
  readonly answeredAfterRefillPercent: number;
  readonly refills: {
    readonly count: number;
    readonly foundPercent: number;
    readonly rightPercent: number;
    readonly amountErrorPercent: number;
    readonly withinAnHourPercent: number;
    readonly whileSilent: number;
  };
  readonly alerts: {
    readonly runOuts: number;
    readonly inTimePercent: number;
    readonly falsePerMonth: number;
    readonly flapsPerMonth: number;
  };
}

export function measuresOf(runs: readonly Replayed[]): Measures {
  const made = runs.flatMap((run) => run.made.filter(({ slot }) => slot >= FIRST_SLOT));
  const horizons = HORIZONS.map(({ fromH, toH }) =>
    errorsOf(
      made.filter(({ trueH, forecast }) => trueH >= fromH && trueH < toH && forecast.status !== 'empty'),
    ),
  );
  const counted = horizons.reduce((sum, { count }) => sum + count, 0);
  const pooled = (value: (errors: Errors) => number): number =>
    horizons.reduce((sum, errors) => sum + value(errors) * errors.count, 0) / Math.max(counted, 1);
  return {
    horizons,
    coveredPercent: pooled(({ coveredPercent }) => coveredPercent),
    widthRatio: pooled(({ widthH }) => widthH) / pooled(({ baselineWidthH }) => baselineWidthH),
    answeredPercent: share(siloDays(runs, ({ hasReadings }) => hasReadings)),
    answeredOfAllPercent: share(siloDays(runs, () => true)),
    answeredAfterRefillPercent: share(
      made.filter(({ isAfterRefill, hasReadings }) => isAfterRefill && hasReadings).map(isAnswered),
    ),
    refills: refillMeasures(runs),
    alerts: alertMeasures(runs),
  };
}

const share = (values: readonly boolean[]): number =>
  (100 * values.filter((value) => value).length) / Math.max(values.length, 1);

/** A forecast that is `unpredictable` gives only the earliest date, and `stale` and `learning` give none. */
const isAnswered = ({ forecast: { status } }: Made): boolean =>
  status === 'ok' || status === 'empty' || status === 'not_in_use';

/** A silo-day counts as answered if most of its forecasts are answered. */
function siloDays(runs: readonly Replayed[], isCounted: (made: Made) => boolean): boolean[] {
  return runs.flatMap(({ made }) => {
    const days = new Map<number, boolean[]>();
    for (const one of made.filter((each) => each.slot >= FIRST_SLOT && isCounted(each))) {
      const day = Math.floor(one.slot / DAY_SLOTS);
      days.set(day, [...(days.get(day) ?? []), isAnswered(one)]);
    }
    return [...days.values()].map((answers) => share(answers) >= 50);
  });
}

interface Dated {
  readonly trueH: number;
  readonly p10: number;
  readonly p50: number;
  readonly p90: number;
  readonly baselineH: readonly number[];
}

function errorsOf(made: readonly Made[]): Errors {
  const dated: Dated[] = [];
  let withoutDate = 0;
  for (const { slot, forecast, trueH, baselineH, hasReadings } of made) {
    const { empty } = forecast;
    const hours = (timeMs: number | null): number =>
      timeMs === null ? Number.POSITIVE_INFINITY : (timeMs - timeOf(slot)) / HOUR_MS;
    if (empty === null || empty.p50Ms === null) {
      if (hasReadings) withoutDate += 1;
      continue;
    }
    dated.push({
      trueH,
      p10: hours(empty.p10Ms),
      p50: hours(empty.p50Ms),
      p90: hours(empty.p90Ms),
      baselineH,
    });
  }
  const mean = (value: (one: Dated) => number, of: readonly Dated[] = dated): number =>
    of.reduce((sum, one) => sum + value(one), 0) / Math.max(of.length, 1);
  const baseline = (index: number): number => {
    const answered = dated.filter(({ baselineH }) => Number.isFinite(baselineH[index]));
    // For the simpler methods, too, no date counts as further away than 30 days.
    return mean((one) => Math.abs(Math.min(one.baselineH[index] ?? 0, 720) - one.trueH), answered);
  };
  return {
    count: dated.length,
    meanH: mean(({ p50, trueH }) => Math.abs(p50 - trueH)),
    biasH: mean(({ p50, trueH }) => p50 - trueH),
    withoutDate,
    coveredPercent: 100 * mean(({ p10, p90, trueH }) => (p10 <= trueH && trueH <= p90 ? 1 : 0)),
    widthH: mean(({ p10, p90 }) => Math.min(p90, 720) - p10),
    baselineWidthH: conformalWidth(dated),
    baselinesH: BASELINES.map((_, index) => baseline(index)),
    lateBy12HPercent: 100 * mean(({ p50, trueH }) => (p50 - trueH > 12 ? 1 : 0)),
  };
}

/** The width of a range for "level / mean of 7 days", by split conformal prediction. */
function conformalWidth(dated: readonly Dated[]): number {
  const pairs = dated
    .map(({ trueH, baselineH }) => ({ trueH, predictedH: Math.min(baselineH[0] ?? Number.NaN, 720) }))
    .filter(({ predictedH, trueH }) => predictedH > 0 && trueH > 0);
  const scores = pairs.map(({ trueH, predictedH }) => Math.log(trueH / predictedH)).sort((a, b) => a - b);
  const quantile = (part: number): number => scores[Math.floor(part * (scores.length - 1))] ?? 0;
  const spread = Math.exp(quantile(0.9)) - Math.exp(quantile(0.1));
  return pairs.reduce((sum, { predictedH }) => sum + predictedH * spread, 0) / Math.max(pairs.length, 1);
}

function refillMeasures(runs: readonly Replayed[]): Measures['refills'] {
  const found: boolean[] = [];
  const right: boolean[] = [];
  const soon: boolean[] = [];
  const amounts: number[] = [];
  let whileSilent = 0;
  for (const { silo, refills } of runs) {
    const least = 0.05 * silo.capacityKg;
    const left = new Set(refills);
    const isNear = (one: { fromMs: number; toMs: number }, truth: TrueRefill): boolean =>
      one.fromMs <= truth.toMs + HOUR_MS / 4 && one.toMs >= truth.fromMs - HOUR_MS / 4;
    for (const truth of silo.refills) {
      if (truth.kg < least) continue;
      if (!isReported(silo.reportedKg, truth)) {
        whileSilent += 1;
        continue;
      }
      const own = [...left].find(({ refill }) => isNear(refill, truth));
      found.push(own !== undefined);
      if (own === undefined) continue;
      left.delete(own);
      amounts.push(Math.abs(own.refill.kg - truth.kg) / silo.capacityKg);
      // For a late report its arrival counts, and two trucks within an hour are one delivery.
      const pair = silo.refills.find(({ fromMs }) => fromMs > truth.toMs && fromMs - truth.toMs < HOUR_MS);
      const arrived = silo.arrivesAt[Math.round((truth.toMs - START_MS) / SLOT_MS)] ?? 0;
      soon.push((timeOf(own.knownSlot) - Math.max(pair?.toMs ?? truth.toMs, timeOf(arrived))) / HOUR_MS <= 1);
    }
    // A refill while the scale was silent or stuck is detected after that time.
    const isSeenLater = (refill: Refill, truth: TrueRefill): boolean =>
      !isReported(silo.reportedKg, truth) &&
      refill.fromMs >= truth.fromMs &&
      refill.fromMs - truth.toMs < SEEN_LATER_MS;
    for (const { refill } of refills)
      if (refill.kg >= least)
        right.push(silo.refills.some((truth) => isNear(refill, truth) || isSeenLater(refill, truth)));
  }
  amounts.sort((a, b) => a - b);
  return {
    count: found.length,
    foundPercent: share(found),
    rightPercent: share(right),
    amountErrorPercent: 100 * (amounts[amounts.length >> 1] ?? 0),
    withinAnHourPercent: share(soon),
    whileSilent,
  };
}

/** Whether the scale reported in the hours before and after the refill, and was not stuck. */
function isReported(reportedKg: Float64Array, { fromMs, toMs }: TrueRefill): boolean {
  const [from, to] = [fromMs, toMs].map((timeMs) => Math.round((timeMs - START_MS) / SLOT_MS));
  const values = reportedKg.slice((from ?? 0) - 12, (to ?? 0) + 13);
  const isStuck = new Set(reportedKg.slice(from, to)).size === 1;
  return values.every((kg) => !Number.isNaN(kg)) && !isStuck;
}

function alertMeasures(runs: readonly Replayed[]): Measures['alerts'] {
  const inTime: boolean[] = [];
  let [falseCount, flaps, months] = [0, 0, 0];
  for (const { silo, alerts, made } of runs) {
    const lastSlot = silo.slots - UNKNOWN_SLOTS;
    months += (lastSlot - FIRST_ALERT_SLOT) / DAY_SLOTS / 30;
    const ends = silo.refills.map(({ toMs }) => Math.round((toMs - START_MS) / SLOT_MS));
    for (const [index, { fromMs }] of silo.refills.entries()) {
      const slot = Math.round((fromMs - START_MS) / SLOT_MS) - 1;
      const since = ends[index - 1] ?? 0;
      if (slot < FIRST_ALERT_SLOT || slot - since < DAY_SLOTS) continue;
      const leftH = silo.hoursToEmpty(slot);
      // Without the truck the silo would have run out within the lead time, so an order was due before.
      if (leftH > silo.leadTimeH) continue;
      const isSilent = made.some((one) => one.slot > since && one.slot <= slot && !one.hasReadings);
      if (isSilent) continue;
      const due = Math.max(emptySlot(silo.levelKg, slot, leftH) - silo.leadTimeH * 12, since + 8 * 12);
      inTime.push(alerts.some((one) => one.slot > since && one.slot <= due));
    }
    for (const { slot, toSlot } of alerts) {
      if (slot < FIRST_ALERT_SLOT || slot > lastSlot) continue;
      if (silo.hoursToEmpty(slot) > 2 * (silo.leadTimeH + ALERT_MARGIN_H)) falseCount += 1;
      // The alert was raised again within three days, and no refill came in between.
      const next = alerts.find((one) => one.slot > toSlot);
      const isAgain = next !== undefined && next.slot - toSlot < FLAP_SLOTS;
      if (isAgain && !ends.some((end) => end > slot && end <= next.slot)) flaps += 1;
    }
  }
  return {
    runOuts: inTime.length,
    inTimePercent: share(inTime),
    falsePerMonth: falseCount / months,
    flapsPerMonth: flaps / months,
  };
}

/** The slot in which the silo was empty before the truck came, or in which it would have been empty. */
function emptySlot(levelKg: Float64Array, slot: number, leftH: number): number {
  let at = slot;
  while (at > 0 && (levelKg[at] ?? 0) <= 0) at -= 1;
  return at < slot ? at : slot + leftH * 12;
}
