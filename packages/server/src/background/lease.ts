import { SECOND_MS } from '@granary/contract/time';

/**
 * How long work belongs to the node that has taken it. The work itself may take longer: a short lease lets another node
 * continue soon after a crash.
 */
export const LEASE_MS = 8 * SECOND_MS;
const RENEWALS_PER_LEASE = 4;

interface Lease {
  readonly untilMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
  /** Returns whether this node still had the lease that ends at `fromMs`. */
  readonly renew: (fromMs: number, toMs: number) => Promise<boolean>;
}

/** Renews the lease while the work goes on. A node that cannot do so in time may see its work done by another one, too. */
export async function keepingLease<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const { leaseMs, now, renew } = lease;
  let { untilMs } = lease;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const extend = async (): Promise<void> => {
    const nextMs = now() + leaseMs;
    const isOwn = await renew(untilMs, nextMs).catch(() => null);
    if (isOwn === true) untilMs = nextMs;
    if (!isOver && isOwn !== false) plan();
  };
  const plan = (): void => {
    timer = setTimeout(() => void extend(), leaseMs / RENEWALS_PER_LEASE);
  };
  plan();
  try {
    return await work();
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
