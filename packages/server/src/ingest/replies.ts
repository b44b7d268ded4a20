import type { App } from '@granary/app/app';
import { type FieldAck, type FieldProgress, isAboutMission } from '@granary/contract/link/field-messages';
import type { LinkDevice, UplinkMessage } from '@granary/link/port';
import { type DeviceCommand, operationMessage } from '../delivery/device-commands.ts';

/** What a device says of something that it was told to do. */
export type DeviceReply = Extract<UplinkMessage, { readonly subject: 'ack' | 'progress' }>;

type SiloReply = Extract<DeviceReply, { readonly kind: 'silo' }>;

/** What became of it. `foreign`: it is about nothing that this device was told. */
export type ReplyResult =
  | { readonly kind: 'taken'; readonly send: DeviceCommand | null }
  | { readonly kind: 'foreign'; readonly reason: string };

/** As the device put it. */
export const payloadOf = (reply: DeviceReply) => (reply.subject === 'ack' ? reply.ack : reply.progress);

/** Stores what the device says, and answers what to tell it then. */
export function hear(
  app: App,
  { deviceNo }: LinkDevice,
  reply: DeviceReply,
  nowMs: number,
): Promise<ReplyResult> {
  if (reply.kind === 'silo') return hearOfOperation(app, deviceNo, reply, nowMs);
  return reply.subject === 'ack'
    ? hearAck(app, deviceNo, reply.ack, nowMs)
    : hearProgress(app, deviceNo, reply.progress, nowMs);
}

async function hearOfOperation(
  { operations }: App,
  deviceNo: number,
  reply: SiloReply,
  nowMs: number,
): Promise<ReplyResult> {
  const heard =
    reply.subject === 'ack'
      ? await operations.acknowledged({ deviceNo, ack: reply.ack, nowMs })
      : await operations.progressed({ deviceNo, progress: reply.progress, nowMs });
  if (heard.kind === 'foreign') return heard;
  const { operation_id: operationId } = reply.subject === 'ack' ? reply.ack : reply.progress;
  return { kind: 'taken', send: heard.send && operationMessage(operationId, heard.send) };
}

const hearAck = (app: App, deviceNo: number, ack: FieldAck, nowMs: number): Promise<ReplyResult> =>
  isAboutMission(ack)
    ? app.missions.acknowledged({ deviceNo, ack, nowMs })
    : app.commands.acknowledged({ deviceNo, ack, nowMs });

const hearProgress = (
  app: App,
  deviceNo: number,
  progress: FieldProgress,
  nowMs: number,
): Promise<ReplyResult> =>
  isAboutMission(progress)
    ? app.missions.progressed({ deviceNo, progress, nowMs })
    : app.commands.progressed({ deviceNo, progress, nowMs });
