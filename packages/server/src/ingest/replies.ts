import type { App } from '@granary/app/app';
import type { ReplyResult } from '@granary/app/jobs/job-change-recorder';
import { type FieldAck, type FieldProgress, isAboutMission } from '@granary/contract/link/field-messages';
import type { LinkDevice, UplinkMessage } from '@granary/link/port';

/** A message of a device about one of its jobs: an acknowledgement or a report. */
export type DeviceReply = Extract<UplinkMessage, { readonly subject: 'ack' | 'progress' }>;

type SiloReply = Extract<DeviceReply, { readonly kind: 'silo' }>;

/** The payload as the device sent it. */
export const payloadOf = (reply: DeviceReply) => (reply.subject === 'ack' ? reply.ack : reply.progress);

/** Applies the reply to its job. */
export function handleReply(
  app: App,
  { deviceNo }: LinkDevice,
  reply: DeviceReply,
  nowMs: number,
): Promise<ReplyResult> {
  if (reply.kind === 'silo') return handleSiloReply(app, deviceNo, reply, nowMs);
  return reply.subject === 'ack'
    ? handleFieldAck(app, deviceNo, reply.ack, nowMs)
    : handleFieldProgress(app, deviceNo, reply.progress, nowMs);
}

const handleSiloReply = (
  { operations }: App,
  deviceNo: number,
  reply: SiloReply,
  nowMs: number,
): Promise<ReplyResult> =>
  reply.subject === 'ack'
    ? operations.acknowledged({ deviceNo, ack: reply.ack, nowMs })
    : operations.progressed({ deviceNo, progress: reply.progress, nowMs });

const handleFieldAck = (app: App, deviceNo: number, ack: FieldAck, nowMs: number): Promise<ReplyResult> =>
  isAboutMission(ack)
    ? app.missions.acknowledged({ deviceNo, ack, nowMs })
    : app.commands.acknowledged({ deviceNo, ack, nowMs });

const handleFieldProgress = (
  app: App,
  deviceNo: number,
  progress: FieldProgress,
  nowMs: number,
): Promise<ReplyResult> =>
  isAboutMission(progress)
    ? app.missions.progressed({ deviceNo, progress, nowMs })
    : app.commands.progressed({ deviceNo, progress, nowMs });
