import { type FieldAck, type FieldProgress, isAboutMission } from '@granary/contract/field-link';
import type { LinkDevice, UplinkMessage } from '@granary/link/port';
import type { Store } from '@granary/store/store';
import { type DeviceCommand, operationMessage } from '../device-commands.ts';

/** What a device says of something that it was told to do. */
export type DeviceReply = Extract<UplinkMessage, { readonly subject: 'ack' | 'progress' }>;

type SiloReply = Extract<DeviceReply, { readonly kind: 'silo' }>;

/** What became of it. `foreign`: it is about nothing that this device was told. */
export type Heard =
  | { readonly kind: 'taken'; readonly send: DeviceCommand | null }
  | { readonly kind: 'foreign'; readonly reason: string };

/** As the device put it. */
export const wordOf = (reply: DeviceReply) => (reply.subject === 'ack' ? reply.ack : reply.progress);

/** Stores what the device says, and answers what to tell it then. */
export function hear(
  store: Store,
  { deviceNo }: LinkDevice,
  reply: DeviceReply,
  nowMs: number,
): Promise<Heard> {
  if (reply.kind === 'silo') return hearOfOperation(store, deviceNo, reply, nowMs);
  return reply.subject === 'ack'
    ? hearAck(store, deviceNo, reply.ack, nowMs)
    : hearProgress(store, deviceNo, reply.progress, nowMs);
}

async function hearOfOperation(
  { operations }: Store,
  deviceNo: number,
  reply: SiloReply,
  nowMs: number,
): Promise<Heard> {
  const heard =
    reply.subject === 'ack'
      ? await operations.acknowledged({ deviceNo, ack: reply.ack, nowMs })
      : await operations.progressed({ deviceNo, progress: reply.progress, nowMs });
  if (heard.kind === 'foreign') return heard;
  const { operation_id: operationId } = reply.subject === 'ack' ? reply.ack : reply.progress;
  return { kind: 'taken', send: heard.send && operationMessage(operationId, heard.send) };
}

const hearAck = (store: Store, deviceNo: number, ack: FieldAck, nowMs: number): Promise<Heard> =>
  isAboutMission(ack)
    ? store.missions.acknowledged({ deviceNo, ack, nowMs })
    : store.commands.acknowledged({ deviceNo, ack, nowMs });

const hearProgress = (
  store: Store,
  deviceNo: number,
  progress: FieldProgress,
  nowMs: number,
): Promise<Heard> =>
  isAboutMission(progress)
    ? store.missions.progressed({ deviceNo, progress, nowMs })
    : store.commands.progressed({ deviceNo, progress, nowMs });
