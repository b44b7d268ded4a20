import type { BridgeSummary, StoredBridge } from '@granary/app/bridges/bridge-rows';
import type { Bridge, KeyOfBridge } from '@granary/contract/bridges';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import type { BridgedCounts, BridgeSight } from '@granary/core/bridges';

/** A bridge reports at least every twenty seconds. */
const AWAY_AFTER_MS = MINUTE_MS;

/** A bridge that is there for the caller. */
interface SeenBridge {
  readonly sight: BridgeSight;
  /** Those that the caller sees. */
  readonly devices: BridgedCounts;
  readonly key: KeyOfBridge | null;
}

export const bridgeRecord = (
  { bridgeId, reportedAtMs, state }: StoredBridge,
  { sight, devices, key }: SeenBridge,
  nowMs: number,
): Bridge => {
  const { version, started_at, site, journal } = state;
  return {
    bridge_id: bridgeId,
    key: sight.isWhole ? key : null,
    status: isAway(reportedAtMs, nowMs) ? 'away' : 'connected',
    reported_at: toIso(reportedAtMs),
    version,
    started_at,
    site: sight.isWhole ? site : null,
    journal: sight.isWhole ? journal : null,
    devices,
  };
};

export const isAway = (reportedAtMs: BridgeSummary['reportedAtMs'], nowMs: number): boolean =>
  nowMs - reportedAtMs > AWAY_AFTER_MS;
