/** Moves labels apart that would cover each other, each as little as possible, in their order. */
export function spreadLabels(
  wanted: readonly number[],
  distance: number,
  from: number,
  to: number,
): number[] {
  const order = wanted
    .map((_, index) => index)
    .sort((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0));
  const placed = new Array<number>(wanted.length).fill(0);
  let least = from;
  for (const index of order) {
    placed[index] = Math.max(least, wanted[index] ?? 0);
    least = (placed[index] ?? 0) + distance;
  }
  let most = to;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(most, placed[index] ?? 0);
    most = (placed[index] ?? 0) - distance;
  }
  return placed;
}
