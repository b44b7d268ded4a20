/** One question for the time of the database; the other times are of the monotonic clock of this process. */
export interface ClockSample {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly databaseMs: number;
}

/** What must be added to the monotonic clock to get the time of the database, and how wrong that can be. */
interface Estimate {
  readonly offsetMs: number;
  readonly errorMs: number;
}

/** Newest last. */
export type ClockEstimates = readonly Estimate[];

const ESTIMATES_MAX = 10;
/** Two clocks drift apart by less than this between the estimates that are kept. */
const DRIFT_MS_MAX = 5;

/** The database read its clock at some time between the question and the answer. */
const estimateOf = ({ askedAtMs, answeredAtMs, databaseMs }: ClockSample): Estimate => ({
  offsetMs: databaseMs - (askedAtMs + answeredAtMs) / 2,
  errorMs: (answeredAtMs - askedAtMs) / 2,
});

/** Estimates that contradict the newest one were made before one of the clocks was set, and are dropped. */
export function withSample(estimates: ClockEstimates, sample: ClockSample): ClockEstimates {
  const newest = estimateOf(sample);
  const agrees = ({ offsetMs, errorMs }: Estimate): boolean =>
    Math.abs(offsetMs - newest.offsetMs) <= errorMs + newest.errorMs + DRIFT_MS_MAX;
  return [...estimates.filter(agrees), newest].slice(-ESTIMATES_MAX);
}

/** The offset of the quickest answer; `null` before the first. */
export function offsetOf(estimates: ClockEstimates): number | null {
  const [best] = estimates.toSorted((one, other) => one.errorMs - other.errorMs);
  return best?.offsetMs ?? null;
}
