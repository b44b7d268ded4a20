import type { MassUnit, OperationType } from '@granary/contract/operations';
import type { NamedThreshold } from '../thresholds.ts';
import type { StartRequest } from './start-input.ts';

const KG_PER: Readonly<Record<MassUnit, number>> = { kg: 1, t: 1_000, lb: 0.45359237, g: 0.001 };

/** What an operation would do, by what the page knows. The service decides whether it may. */
export interface Plan {
  readonly minutes: number;
  readonly rateKgPerMin: number;
  readonly rateLimitKgPerMin: number;
  /** `null` where no weight is known. */
  readonly levelBefore: number | null;
  readonly levelAfter: number | null;
  /** The thresholds that the level passes. */
  readonly crosses: readonly NamedThreshold[];
  /** The next threshold that it does not pass. */
  readonly staysWithin: NamedThreshold | null;
  readonly isTooFast: boolean;
  readonly isTooMuch: boolean;
}

export interface SiloNow {
  readonly weightKg: number | null;
  readonly capacityKg: number;
  readonly limits: { readonly max_feed_rate: number; readonly max_discharge_rate: number };
  readonly thresholds: readonly NamedThreshold[];
}

export function planOf(
  { type, body }: StartRequest,
  { weightKg, capacityKg, limits, thresholds }: SiloNow,
): Plan {
  const amountKg = body.amount * KG_PER[body.unit ?? 'kg'];
  const isFeed = type === 'feed';
  const limit = isFeed ? limits.max_feed_rate : limits.max_discharge_rate;
  const rate = body.rate ?? limit;
  const level = (kg: number): number => (Math.max(0, kg) / capacityKg) * 100;
  const before = weightKg === null ? null : level(weightKg);
  const after = weightKg === null ? null : level(isFeed ? weightKg + amountKg : weightKg - amountKg);
  const ahead =
    before === null
      ? []
      : thresholds
          .filter(({ value }) => (isFeed ? value > before : value < before))
          .toSorted((one, other) => Math.abs(one.value - before) - Math.abs(other.value - before));
  const isCrossed = ({ value }: NamedThreshold): boolean =>
    after !== null && (isFeed ? after >= value : after <= value);
  return {
    minutes: amountKg / rate,
    rateKgPerMin: rate,
    rateLimitKgPerMin: limit,
    levelBefore: before,
    levelAfter: after,
    crosses: ahead.filter(isCrossed),
    staysWithin: ahead.find((threshold) => !isCrossed(threshold)) ?? null,
    isTooFast: rate > limit,
    isTooMuch: amountKg > availableKg(type, { weightKg, capacityKg }),
  };
}

/** The room for a feed, the contents for a discharge; without a known weight there is no limit that the page could show. */
export function availableKg(
  type: OperationType,
  { weightKg, capacityKg }: Pick<SiloNow, 'weightKg' | 'capacityKg'>,
): number {
  if (weightKg === null) return Number.POSITIVE_INFINITY;
  const insideKg = Math.max(0, weightKg);
  return type === 'feed' ? Math.max(0, capacityKg - insideKg) : insideKg;
}
