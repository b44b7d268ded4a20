import { type DeviceLink, LinkStoppedError } from '../device/device-link.ts';
import { findMissingPast, type Past, pastMessages } from './missing-history.ts';

export type HistoryEvent =
  | {
      readonly kind: 'history';
      readonly days: number;
      readonly devicesDone: number;
      readonly devicesTotal: number;
    }
  | { readonly kind: 'history-failed'; readonly reason: string };

export interface HistoryJob {
  readonly devices: readonly { readonly link: DeviceLink; readonly past: Past }[];
  readonly days: number;
  readonly nowMs: number;
  readonly onEvent: (event: HistoryEvent) => void;
}

/** Settles when the past is written, was there already, or has failed, which is told as an event. */
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

/** Device after device, each over its own link and each message acknowledged before the next: an interruption loses little. */
async function writeMissingHistory({ devices, days, nowMs, onEvent }: HistoryJob): Promise<void> {
  const devicesTotal = devices.length;
  let hasBegun = false;
  for (const [devicesDone, { link, past }] of devices.entries()) {
    const span = await findMissingPast(past, days, nowMs);
    if (span !== undefined) {
      if (!hasBegun) onEvent({ kind: 'history', days, devicesDone, devicesTotal });
      hasBegun = true;
      for (const readings of pastMessages(past, span)) await link.deliver('telemetry', readings);
    }
    if (hasBegun) onEvent({ kind: 'history', days, devicesDone: devicesDone + 1, devicesTotal });
  }
}
