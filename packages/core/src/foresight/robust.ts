/** The median; of no values `NaN`. The values are reordered. */
export function medianOf(values: number[]): number {
  const { length } = values;
  if (length === 0) return Number.NaN;
  values.sort(ascending);
  const middle = length >> 1;
  const upper = values[middle] ?? 0;
  return length % 2 === 1 ? upper : ((values[middle - 1] ?? 0) + upper) / 2;
}

const ascending = (a: number, b: number): number => a - b;

/** Between two neighbours of sorted values: `share` 0 is the first one, 1 the last one. */
export function quantileOf(sorted: readonly number[], share: number): number {
  const at = Math.min(Math.max(share, 0), 1) * (sorted.length - 1);
  const low = Math.floor(at);
  const [from = Number.NaN, to = from] = [sorted[low], sorted[Math.min(low + 1, sorted.length - 1)]];
  return from + (to - from) * (at - low);
}

/** Standard deviation of the noise of a series, by the median of its steps, which a trend and single outliers hardly change. */
export function noiseOf(series: readonly number[]): number {
  const steps: number[] = [];
  for (let index = 1; index < series.length; index += 1)
    steps.push(Math.abs((series[index] ?? 0) - (series[index - 1] ?? 0)));
  // For normal noise: the median of |x| is 0.6745 deviations, and a step has twice the variance.
  return steps.length === 0 ? 0 : medianOf(steps) / (0.6745 * Math.SQRT2);
}

/** To so many digits after the point: what is stored is the same wherever it is computed. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  const result = Math.round(value * scale) / scale;
  return result === 0 ? 0 : result;
}
