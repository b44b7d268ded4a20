import { rounded } from '../robust.ts';
import { median } from '../statistics.ts';
import type { Finding } from './finding.ts';

const TOLERANCE_SHARE = 0.02;
/** The factor √2 is there because the weights before and after a delivery both have the noise of the scale. */
const DEVIATIONS = 3 * Math.SQRT2;
const CRITICAL_SHARE = 0.1;
/** From this many earlier deliveries on, a difference close to their median is a fault of the scale and not of the truck. */
const EARLIER_MIN = 3;
const ALIKE_SHARE = 0.01;

interface Delivery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly notedKg: number;
  readonly measuredKg: number;
}

export interface DeliveryInput {
  readonly delivery: Delivery;
  /** The standard deviation of a level. */
  readonly deviationKg: number;
  /** Earlier deliveries of the same silo. */
  readonly earlier: readonly Pick<Delivery, 'notedKg' | 'measuredKg'>[];
}

/** Compares the delivery note with the scale. */
export function deliveryMismatch({ delivery, deviationKg, earlier }: DeliveryInput): Finding {
  const { fromMs, toMs, notedKg, measuredKg } = delivery;
  const missingKg = notedKg - measuredKg;
  const limitKg = Math.max(TOLERANCE_SHARE * notedKg, DEVIATIONS * Math.max(0, deviationKg));
  const usual = earlier.length < EARLIER_MIN ? null : median(earlier.map(missingShare));
  const values = {
    missing_kg: rounded(missingKg, 1),
    noted_kg: rounded(notedKg, 1),
    measured_kg: rounded(measuredKg, 1),
    usually_missing_percent: usual === null ? null : rounded(100 * usual, 1),
  };
  const found = { type: 'delivery_mismatch', values, limit: rounded(limitKg, 1), fromMs, toMs } as const;
  if (Math.abs(missingKg) <= limitKg) return { ...found, result: 'pass', code: 'as_noted', severity: null };
  const isOfScale =
    usual !== null &&
    Math.abs(usual) > TOLERANCE_SHARE / 2 &&
    Math.abs(usual - missingShare(delivery)) <= ALIKE_SHARE;
  const isLarge = missingKg > CRITICAL_SHARE * notedKg && !isOfScale;
  return {
    ...found,
    result: 'fail',
    code: codeOf(missingKg, isOfScale),
    severity: isLarge ? 'critical' : 'warning',
  };
}

const missingShare = ({ notedKg, measuredKg }: Pick<Delivery, 'notedKg' | 'measuredKg'>): number =>
  notedKg > 0 ? (notedKg - measuredKg) / notedKg : 0;

function codeOf(missingKg: number, isOfScale: boolean) {
  if (isOfScale) return 'scale_differs_always';
  return missingKg > 0 ? 'less_than_noted' : 'more_than_noted';
}
