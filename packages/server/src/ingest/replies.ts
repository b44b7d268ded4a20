import type { App } from '@granary/app/app';
import type { ReplyResult } from '@granary/app/jobs/job-change-recorder';
import { isAboutMission } from '@granary/contract/link/field-messages';
import { isAboutOperation } from '@granary/contract/link/messages';
import type { DeviceAck, DeviceProgress } from '@granary/contract/profiles/profile';
import type { LinkDevice, UplinkMessage } from '@granary/link/port';

/** A message of a device about one of its jobs: an acknowledgement or a report. */
export type DeviceReply = Extract<UplinkMessage, { readonly subject: 'ack' | 'progress' }>;

/** The payload as the device sent it. */
export const payloadOf = (reply: DeviceReply) => (reply.subject === 'ack' ? reply.ack : reply.progress);

/** Applies the reply to its job. */
export function handleReply(
  app: App,
  { deviceNo }: LinkDevice,
  reply: DeviceReply,
  nowMs: number,
): Promise<ReplyResult> {
  return reply.subject === 'ack'
    ? handleAck(app, deviceNo, reply.ack, nowMs)
    : handleProgress(app, deviceNo, reply.progress, nowMs);
}

function handleAck(app: App, deviceNo: number, ack: DeviceAck, nowMs: number): Promise<ReplyResult> {
  if (isAboutOperation(ack)) return app.operations.acknowledged({ deviceNo, ack, nowMs });
  return isAboutMission(ack)
    ? app.missions.acknowledged({ deviceNo, ack, nowMs })
    : app.commands.acknowledged({ deviceNo, ack, nowMs });
}

function handleProgress(
  app: App,
  deviceNo: number,
  progress: DeviceProgress,
  nowMs: number,
): Promise<ReplyResult> {
  if (isAboutOperation(progress)) return app.operations.progressed({ deviceNo, progress, nowMs });
  return isAboutMission(progress)
    ? app.missions.progressed({ deviceNo, progress, nowMs })
    : app.commands.progressed({ deviceNo, progress, nowMs });
}
