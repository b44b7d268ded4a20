/** Up to this many values insertion sort is faster than making a typed array. */
const INSERTED_MAX = 32;

/** The values in rising order, `NaN` last. A typed array sorts many numbers several times as fast, because it needs no compare function. */
export function sorted(values: readonly number[]): ArrayLike<number> {
  if (values.length > INSERTED_MAX) return new Float64Array(values).sort();
  const inOrder = values.slice();
  for (let index = 1; index < inOrder.length; index += 1) {
    const value = inOrder[index] ?? 0;
    if (Number.isNaN(value)) continue;
    let at = index;
    for (; at > 0 && !((inOrder[at - 1] ?? 0) <= value); at -= 1) inOrder[at] = inOrder[at - 1] ?? 0;
    inOrder[at] = value;
  }
  return inOrder;
}

/** The median; `NaN` if there are no values. */
export function medianOf(values: readonly number[]): number {
  const { length } = values;
  if (length === 0) return Number.NaN;
  const inOrder = sorted(values);
  const middle = length >> 1;
  const upper = inOrder[middle] ?? 0;
  return length % 2 === 1 ? upper : ((inOrder[middle - 1] ?? 0) + upper) / 2;
}

/** The quantile of values in rising order, between two neighbours: `share` 0 is the first value, 1 the last one. */
export function quantileOf(inOrder: ArrayLike<number>, share: number): number {
  const at = Math.min(Math.max(share, 0), 1) * (inOrder.length - 1);
  const low = Math.floor(at);
  const [from = Number.NaN, to = from] = [inOrder[low], inOrder[Math.min(low + 1, inOrder.length - 1)]];
  return from + (to - from) * (at - low);
}

/** The standard deviation of the noise of a series, from the median of its steps without their trend; single outliers hardly change it. */
export function noiseOf(series: readonly number[]): number {
  const steps: number[] = [];
  for (let index = 1; index < series.length; index += 1)
    steps.push((series[index] ?? 0) - (series[index - 1] ?? 0));
  if (steps.length === 0) return 0;
  const trend = medianOf(steps);
  // For normal noise the median of |x| is 0.6745 standard deviations, and a step has twice the variance.
  return medianOf(steps.map((step) => Math.abs(step - trend))) / (0.6745 * Math.SQRT2);
}

/** Rounds to this many decimal places, so that the stored number is the same wherever it is computed. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  const result = Math.round(value * scale) / scale;
  return result === 0 ? 0 : result;
}
