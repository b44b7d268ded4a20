import type { OperationType } from '@granary/contract/operations';
import type { NamedThreshold } from '../thresholds.ts';

/** The first threshold in the direction of an operation that its end level does not reach. */
export function nextThreshold(
  type: OperationType,
  levelAfter: number,
  thresholds: readonly NamedThreshold[],
): NamedThreshold | null {
  const ahead = thresholds.filter(({ value }) => (type === 'feed' ? value > levelAfter : value < levelAfter));
  return ahead.reduce<NamedThreshold | null>(
    (nearest, one) =>
      nearest === null || Math.abs(one.value - levelAfter) < Math.abs(nearest.value - levelAfter)
        ? one
        : nearest,
    null,
  );
}
