import type { DeviceLink } from '../link/device-link.ts';
import { LinkStoppedError } from '../link/link-stopped.ts';
import { type BackfillSource, backfillMessages, findMissingHistory } from './missing-history.ts';

export type HistoryEvent =
  | {
      readonly kind: 'history';
      readonly days: number;
      readonly devicesDone: number;
      readonly devicesTotal: number;
    }
  | { readonly kind: 'history-failed'; readonly reason: string };

export interface HistoryJob {
  readonly devices: readonly { readonly link: DeviceLink; readonly source: BackfillSource }[];
  readonly days: number;
  readonly nowMs: number;
  readonly onEvent: (event: HistoryEvent) => void;
}

/** Resolves when the backfill is written, was already complete, or has failed, which is reported as an event. */
export async function writeHistory(job: HistoryJob): Promise<void> {
  if (job.days <= 0) return;
  try {
    await writeMissingHistory(job);
  } catch (failure) {
    if (failure instanceof LinkStoppedError) return;
    job.onEvent({
      kind: 'history-failed',
      reason: failure instanceof Error ? failure.message : String(failure),
    });
  }
}

/** Writes device by device over each device's own link and waits for each acknowledgement, so that an interruption loses little. */
async function writeMissingHistory({ devices, days, nowMs, onEvent }: HistoryJob): Promise<void> {
  const devicesTotal = devices.length;
  let hasBegun = false;
  for (const [devicesDone, { link, source }] of devices.entries()) {
    const span = await findMissingHistory(source, days, nowMs);
    if (span !== undefined) {
      if (!hasBegun) onEvent({ kind: 'history', days, devicesDone, devicesTotal });
      hasBegun = true;
      for (const readings of backfillMessages(source, span)) await link.deliver('telemetry', readings);
    }
    if (hasBegun) onEvent({ kind: 'history', days, devicesDone: devicesDone + 1, devicesTotal });
  }
}
