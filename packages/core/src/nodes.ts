const ESTIMATES_MAX = 10;
/** Two clocks drift apart by less than this between the estimates that are kept. */
const DRIFT_MS_MAX = 5;

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

/** The newest estimate is the last one. */
export type ClockEstimates = readonly Estimate[];

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

/** The offset by the quickest answer; `null` before the first answer. */
export function offsetOf(estimates: ClockEstimates): number | null {
  const [best] = estimates.toSorted((one, other) => one.errorMs - other.errorMs);
  return best?.offsetMs ?? null;
}

/** Whether devices connect to the node itself or to a broker that all nodes share. */
export type BrokerKind = 'embedded' | 'external';

/** A process of the service on a shared database. */
export interface NodeRecord {
  readonly nodeId: string;
  readonly host: string;
  readonly broker: BrokerKind;
  readonly version: string;
  /** The hash of the admin key that was preset by a setting of this node. */
  readonly presetHash: string | null;
  readonly startedAtMs: number;
  /** Since when the node has reported without a gap that it lives. */
  readonly liveSinceMs: number;
  readonly lastSeenAtMs: number;
  /** Since when the node has reached the external broker without a gap; `null` while it does not reach it. */
  readonly brokerSinceMs: number | null;
}

/** A node with an embedded broker must be alone: messages to devices leave only by the node that they are connected to. */
export const conflictingNodes = (broker: BrokerKind, others: readonly NodeRecord[]): NodeRecord[] =>
  others.filter((other) => broker === 'embedded' || other.broker === 'embedded');

/** The nodes that have reported between two queries that they live; the others may have crashed a moment ago. */
export function provenAlive(before: readonly NodeRecord[], now: readonly NodeRecord[]): NodeRecord[] {
  const seenAtMs = new Map(before.map(({ nodeId, lastSeenAtMs }) => [nodeId, lastSeenAtMs]));
  return now.filter(({ nodeId, lastSeenAtMs }) => lastSeenAtMs > (seenAtMs.get(nodeId) ?? lastSeenAtMs));
}

/** If nodes must not run together, the one that came last gives way, even if it was only away for some time. */
export const isLast = (own: NodeRecord, others: readonly NodeRecord[]): boolean =>
  others.some(
    ({ liveSinceMs, nodeId }) =>
      liveSinceMs < own.liveSinceMs || (liveSinceMs === own.liveSinceMs && nodeId < own.nodeId),
  );

/**
 * The collector is the node that has reached the external broker for the longest time. So the collector changes only when
 * that node ends, freezes, or loses the broker or the database.
 */
export const isCollector = (own: NodeRecord, others: readonly NodeRecord[]): boolean => {
  const { brokerSinceMs: ownMs, nodeId: ownId } = own;
  if (ownMs === null) return false;
  return others.every(
    ({ brokerSinceMs, nodeId }) =>
      brokerSinceMs === null || ownMs < brokerSinceMs || (ownMs === brokerSinceMs && ownId < nodeId),
  );
};
