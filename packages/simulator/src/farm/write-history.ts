import { type DeviceLink, LinkStoppedError } from '../link/device-link.ts';
import { type BackfillSource, backfillMessages, findMissingHistory } from '../profiles/missing-history.ts';

export type HistoryEvent =
  | {
      readonly kind: 'history';
      readonly days: number;
      readonly devicesDone: number;
      readonly devicesTotal: number;
    }
  | { readonly kind: 'history-failed'; readonly reason: string };

export interface HistoryJob {
  readonly devices: readonly {
    readonly link: Pick<DeviceLink, 'deliver'>;
    readonly sources: readonly BackfillSource[];
  }[];
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

/** The service stores one message of a device while it receives those of others, so a few devices at a time are faster than one. */
const DEVICES_AT_A_TIME = 3;

/** Writes over each device's own link and waits for each acknowledgement, so that an interruption loses little. */
async function writeMissingHistory({ devices, days, nowMs, onEvent }: HistoryJob): Promise<void> {
  const waiting = devices.values();
  let devicesDone = 0;
  let hasBegun = false;
  const report = () => onEvent({ kind: 'history', days, devicesDone, devicesTotal: devices.length });
  const writeWaiting = async () => {
    for (const { link, sources } of waiting) {
      for (const source of sources) {
        const span = await findMissingHistory(source, days, nowMs);
        if (span === undefined) continue;
        if (!hasBegun) report();
        hasBegun = true;
        for (const readings of backfillMessages(source, span)) await link.deliver('telemetry', readings);
      }
      devicesDone++;
      if (hasBegun) report();
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: DEVICES_AT_A_TIME }, writeWaiting));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
