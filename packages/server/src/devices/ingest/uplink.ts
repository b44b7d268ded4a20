import type { App } from '@granary/app/app';
import { alertEvaluation, type CarryOut } from '@granary/app/effects';
import type { ReplyResult } from '@granary/app/jobs/job-change-recorder';
import { Refusal } from '@granary/contract/errors';
import { isAboutMission } from '@granary/contract/link/field-messages';
import { type DeviceState, isAboutOperation } from '@granary/contract/link/messages';
import type { DeviceAck, DeviceProgress } from '@granary/contract/profiles/profile';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type {
  DeviceLink,
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  MessageReceipts,
  TakeLayout,
  UplinkMessage,
} from '@granary/link/port';
import type { DeclaredSensorsCache, SensorsById } from '../declared-sensors.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import type { DeviceLog } from '../device-log.ts';
import { type DuplicateWatch, logLinkEvent } from '../link-events.ts';
import { sendConfiguration } from '../sending/device-messages.ts';
import type { IngestCounters } from './counters.ts';
import type { DeviceQueue } from './device-queue.ts';
import type { IngestPipeline } from './pipeline.ts';
import { isTemporary, SERVICE_FAULT, TelemetryIntake } from './telemetry-intake.ts';

interface UplinkParts {
  readonly app: App;
  readonly directory: Pick<DeviceDirectory, 'authenticate'>;
  readonly declaredSensors: Pick<DeclaredSensorsCache, 'cached' | 'lookUp'>;
  readonly pipeline: IngestPipeline;
  readonly queue: DeviceQueue;
  readonly log: DeviceLog;
  readonly linkLog: DeviceLog;
  readonly duplicateWatch: DuplicateWatch;
  readonly counters: IngestCounters;
  readonly now: () => number;
  readonly rawRetentionDays: number;
  readonly carryOut: CarryOut;
}

interface Peers {
  readonly link: Pick<DeviceLink, 'sendConfiguration'>;
  readonly reconciler: { deviceReachable(device: LinkDevice): void };
}

/** Handles the messages and connections of devices. */
export class Uplink implements LinkHandler {
  readonly #parts: UplinkParts;
  readonly #intake: TelemetryIntake;
  #peers: Peers | null = null;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
    this.#intake = new TelemetryIntake({
      ...parts,
      sensorsOf: (device) => this.sensorsOf(device),
      cachedSensors: (deviceId) => parts.declaredSensors.cached(deviceId),
    });
  }

  /** A separate step, because the link needs this handler; before it no device is connected. */
  connect(peers: Peers): void {
    this.#peers = peers;
  }

  get isHolding(): boolean {
    return this.#parts.pipeline.isHolding;
  }

  authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    return this.#parts.directory.authenticate(deviceId, secret);
  }

  /** The declared sensors of a device; while the storage is not available, a look-up waits. */
  sensorsOf(device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>): SensorsById | Promise<SensorsById> {
    const { declaredSensors, queue } = this.#parts;
    const { deviceId, deviceNo } = device;
    return declaredSensors.cached(deviceId) ?? queue.run(deviceNo, () => declaredSensors.lookUp(device));
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    switch (message.subject) {
      case 'telemetry':
        return this.#intake.telemetry(
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
    return this.#intake.usualTelemetry(device, receipts);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#intake.rejected(device, rejection);
  }

  connected(device: LinkDevice): void {
    this.#logFailure(device, 'noting the connection', this.#updatePresence(device));
  }

  reachable(device: LinkDevice): void {
    this.#peers?.reconciler.deviceReachable(device);
  }

  unreachable(): void {
    // There is nothing to do: the sender of a message learns from its result that the device is not reachable.
  }

  awaitsConfiguration(device: LinkDevice): void {
    const sent = this.#parts.queue.run(device.deviceNo, () => this.#sendStoredConfiguration(device));
    this.#logFailure(device, 'sending the configuration', sent);
  }

  disconnected(device: LinkDevice, how: Parameters<LinkHandler['disconnected']>[1]): void {
    // A logger that connects, publishes and disconnects stays online while its readings are fresh.
    if (how === 'replaced' || how === 'clean') return;
    this.#logFailure(device, 'noting the lost link', this.#state(device, 'offline'));
  }

  observed(event: LinkEvent): void {
    const { linkLog, duplicateWatch } = this.#parts;
    logLinkEvent(linkLog, event);
    duplicateWatch.observe(event);
  }

  async #sendStoredConfiguration({ deviceId, deviceNo }: LinkDevice): Promise<void> {
    const stored = await this.#parts.app.configuration.get(deviceNo);
    if (stored !== undefined && this.#peers !== null) sendConfiguration(this.#peers.link, deviceId, stored);
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
      this.#intake.seen(device),
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

  async #updatePresence(device: LinkDevice): Promise<void> {
    await this.#intake.seen(device);
    // The batch requests an evaluation only for readings that can change an alert; a connection always can.
    await this.#parts.carryOut(alertEvaluation([device.deviceNo]), performance.now());
  }

  /** No caller waits for these writes; a failure is logged, and the next message repeats the update. */
  #logFailure(device: LinkDevice, doing: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#parts.log.warn(device.deviceId, { err: error }, `${doing} failed`);
    });
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
