import type { BridgeSummary, StoredBridge } from '@granary/app/bridges/bridge-rows';
import type { Bridge, KeyOfBridge } from '@granary/contract/bridges';
import { MINUTE_MS, toIso } from '@granary/contract/time';

/** A bridge reports at least every twenty seconds. */
export const AWAY_AFTER_MS = MINUTE_MS;

export const bridgeRecord = (
  { bridgeId, reportedAtMs, figures, state }: StoredBridge,
  key: KeyOfBridge | null,
  nowMs: number,
): Bridge => ({
  bridge_id: bridgeId,
  key,
  status: isAway(reportedAtMs, nowMs) ? 'away' : 'connected',
  reported_at: toIso(reportedAtMs),
  ...state,
  devices: figures.devices,
});

export const isAway = (reportedAtMs: BridgeSummary['reportedAtMs'], nowMs: number): boolean =>
  nowMs - reportedAtMs > AWAY_AFTER_MS;
