import type { ReplyResult } from '@granary/app/jobs/job-change-recorder';
import type { DeviceWrites } from '@granary/app/thread-writes';
import { Refusal } from '@granary/contract/errors';
import { isAboutMission } from '@granary/contract/link/field-messages';
import { type DeviceState, isAboutOperation } from '@granary/contract/link/messages';
import type { DeviceAck, DeviceProgress } from '@granary/contract/profiles/profile';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type {
  Ending,
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  MessageReceipts,
  TakeLayout,
  UplinkMessage,
} from '@granary/link/port';
import { type DeviceLog, logFailure } from '../device-log.ts';
import type { IngestCounters } from './counters.ts';
import type { DeviceQueue } from './device-queue.ts';
import type { IngestPipeline } from './pipeline.ts';
import { isTemporary, SERVICE_FAULT, type TelemetryIntake } from './telemetry-intake.ts';

/** What the main thread is told about logins and sessions. */
export type SessionEvents = Pick<
  LinkHandler,
  | 'authenticate'
  | 'connected'
  | 'disconnected'
  | 'reachable'
  | 'unreachable'
  | 'awaitsConfiguration'
  | 'observed'
>;

interface UplinkParts {
  readonly app: DeviceWrites;
  readonly sessions: SessionEvents;
  readonly intake: TelemetryIntake;
  readonly pipeline: Pick<IngestPipeline, 'isHolding'>;
  readonly queue: DeviceQueue;
  readonly log: Pick<DeviceLog, 'warn' | 'error'>;
  readonly counters: IngestCounters;
  readonly now: () => number;
}

/** Handles the messages of devices, in the thread that has their connections. */
export class Uplink implements LinkHandler {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#parts.pipeline.isHolding;
  }

  authenticate(...login: Parameters<LinkHandler['authenticate']>): Promise<LinkDevice | null> {
    return this.#parts.sessions.authenticate(...login);
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    switch (message.subject) {
      case 'telemetry':
        return this.#parts.intake.telemetry(
          device,
          Array.isArray(message.telemetry) ? message.telemetry : [message.telemetry],
        );
      case 'status':
        return this.#rejectFailed(device, this.#stateUsed(device, message.state.state), (reason) => ({
          topic: message.subject,
          reason,
          payloadExcerpt: message.state.state,
        }));
      case 'ack':
      case 'progress':
        return this.#rejectFailed(device, this.#reply(device, message), (reason) =>
          rejectionOf(message, reason),
        );
    }
  }

  usualTelemetry(device: LinkDevice, receipts: MessageReceipts): TakeLayout {
    return this.#parts.intake.usualTelemetry(device, receipts);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#parts.intake.rejected(device, rejection);
  }

  connected(device: LinkDevice): void {
    this.#parts.sessions.connected(device);
  }

  disconnected(device: LinkDevice, how: Ending): void {
    this.#parts.sessions.disconnected(device, how);
    // A logger that connects, publishes and disconnects stays online while its readings are fresh.
    if (how === 'replaced' || how === 'clean') return;
    logFailure(this.#parts.log, device, 'noting the lost link', this.#state(device, 'offline'));
  }

  reachable(device: LinkDevice): void {
    this.#parts.sessions.reachable(device);
  }

  unreachable(device: LinkDevice): void {
    this.#parts.sessions.unreachable(device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    this.#parts.sessions.awaitsConfiguration(device);
  }

  observed(event: LinkEvent): void {
    this.#parts.sessions.observed(event);
  }

  async #stateUsed(device: LinkDevice, state: DeviceState['state']): Promise<MessageOutcome> {
    await this.#state(device, state);
    return 'used';
  }

  async #state({ deviceNo }: LinkDevice, state: DeviceState['state']): Promise<void> {
    const { app, queue, now } = this.#parts;
    const atMs = now();
    await queue.run(deviceNo, () =>
      state === 'offline'
        ? app.devices.recordLinkDown(deviceNo, atMs)
        : app.devices.recordState(deviceNo, state, atMs),
    );
  }

  /** A reply also updates when the device was last seen. */
  async #reply(device: LinkDevice, reply: DeviceReply): Promise<MessageOutcome> {
    const { app, queue, now } = this.#parts;
    const [result] = await Promise.all([
      queue.run(device.deviceNo, () => handleReply(app, device, reply, now())),
      this.#parts.intake.seen(device),
    ]);
    if (result.kind === 'applied') return 'used';
    await this.rejected(device, rejectionOf(reply, result.reason));
    return 'rejected';
  }

  /** A message that fails because of a fault of the service would fail at every repetition, so it is rejected. */
  async #rejectFailed(
    device: LinkDevice,
    processed: Promise<MessageOutcome>,
    rejectionFor: (reason: string) => LinkRejection,
  ): Promise<MessageOutcome> {
    try {
      return await processed;
    } catch (error) {
      if (isTemporary(error)) throw error;
      const { log, counters } = this.#parts;
      counters.failedReplies++;
      log.error(device.deviceId, { err: error }, 'processing a message from a device failed');
      await this.rejected(device, rejectionFor(error instanceof Refusal ? error.message : SERVICE_FAULT));
      return 'rejected';
    }
  }
}

const rejectionOf = (reply: DeviceReply, reason: string): LinkRejection => ({
  topic: reply.subject,
  reason,
  payloadExcerpt: printable(JSON.stringify(payloadOf(reply)), EXCERPT_CHARACTERS_MAX),
});

/** A message of a device about one of its jobs: an acknowledgement or a report. */
type DeviceReply = Extract<UplinkMessage, { readonly subject: 'ack' | 'progress' }>;

/** The payload as the device sent it. */
const payloadOf = (reply: DeviceReply) => (reply.subject === 'ack' ? reply.ack : reply.progress);

/** Applies the reply to its job. */
function handleReply(
  app: DeviceWrites,
  { deviceNo }: LinkDevice,
  reply: DeviceReply,
  nowMs: number,
): Promise<ReplyResult> {
  return reply.subject === 'ack'
    ? handleAck(app, deviceNo, reply.ack, nowMs)
    : handleProgress(app, deviceNo, reply.progress, nowMs);
}

function handleAck(app: DeviceWrites, deviceNo: number, ack: DeviceAck, nowMs: number): Promise<ReplyResult> {
  if (isAboutOperation(ack)) return app.operations.acknowledged({ deviceNo, ack, nowMs });
  return isAboutMission(ack)
    ? app.missions.acknowledged({ deviceNo, ack, nowMs })
    : app.commands.acknowledged({ deviceNo, ack, nowMs });
}

function handleProgress(
  app: DeviceWrites,
  deviceNo: number,
  progress: DeviceProgress,
  nowMs: number,
): Promise<ReplyResult> {
  if (isAboutOperation(progress)) return app.operations.progressed({ deviceNo, progress, nowMs });
  return isAboutMission(progress)
    ? app.missions.progressed({ deviceNo, progress, nowMs })
    : app.commands.progressed({ deviceNo, progress, nowMs });
}
