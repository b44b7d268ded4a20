import type { BridgeSummary, StoredBridge } from '@granary/app/bridges/bridge-rows';
import type { Bridge, KeyOfBridge } from '@granary/contract/bridges';
import { MINUTE_MS, toIso } from '@granary/contract/time';
import type { BridgedCounts, BridgeSight } from '@granary/core/bridges';

/** A bridge counts as away after this time; it reports at least every twenty seconds. */
const AWAY_AFTER_MS = MINUTE_MS;

/** The part of a bridge that the caller may see. */
interface SeenBridge {
  readonly sight: BridgeSight;
  /** The counts of the devices that the caller may see. */
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
