import type { LinkStatistics, LinkTotals } from '@granary/link/port';

export const sumOfTotals = (all: readonly LinkTotals[]): LinkTotals => ({
  logins: sum(all, ({ logins }) => logins),
  refusedLogins: sum(all, ({ refusedLogins }) => refusedLogins),
  messagesIn: sum(all, ({ messagesIn }) => messagesIn),
  messagesOut: sum(all, ({ messagesOut }) => messagesOut),
  faults: sum(all, ({ faults }) => faults),
});

/** The state of the current member, with the counters and the last incidents of all. */
export function sumOfStatistics(current: LinkStatistics, others: readonly LinkStatistics[]): LinkStatistics {
  if (others.length === 0) return current;
  const all = [current, ...others];
  return {
    ...current,
    connects: sum(all, ({ connects }) => connects),
    takeovers: sum(all, ({ takeovers }) => takeovers),
    messagesIn: sum(all, ({ messagesIn }) => messagesIn),
    messagesOut: sum(all, ({ messagesOut }) => messagesOut),
    droppedExpired: sum(all, ({ droppedExpired }) => droppedExpired),
    droppedNotConnected: sum(all, ({ droppedNotConnected }) => droppedNotConnected),
    refusedLogins: sum(all, ({ refusedLogins }) => refusedLogins),
    faults: sum(all, ({ faults }) => faults),
    lastRefusal: latest(all, ({ lastRefusal }) => lastRefusal),
    lastFault: latest(all, ({ lastFault }) => lastFault),
    lastDisconnect: latest(all, ({ lastDisconnect }) => lastDisconnect),
  };
}

const sum = <Item>(all: readonly Item[], count: (one: Item) => number): number =>
  all.reduce((total, one) => total + count(one), 0);

function latest<Dated extends { readonly atMs: number }>(
  all: readonly LinkStatistics[],
  incidentOf: (one: LinkStatistics) => Dated | null,
): Dated | null {
  const incidents = all.flatMap((one) => incidentOf(one) ?? []);
  return incidents.reduce<Dated | null>(
    (newest, one) => (newest === null || one.atMs > newest.atMs ? one : newest),
    null,
  );
}
