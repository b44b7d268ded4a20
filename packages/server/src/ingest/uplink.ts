import type { App } from '@granary/app/app';
import { type CarryOut, evaluateAlerts } from '@granary/app/effects';
import { Refusal } from '@granary/contract/errors';
import type { DeviceState } from '@granary/contract/link/messages';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { CLOCK_AHEAD_MS_MAX, type ReadingWindow } from '@granary/core/telemetry/readings';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type {
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import { isStorageFault } from '@granary/store/errors';
import type { NewRejection } from '@granary/store/tables/presence';
import type { DeviceDirectory } from '../devices/device-directory.ts';
import type { DeviceLog } from '../devices/device-log.ts';
import type { IngestCounters } from './counters.ts';
import type { DeviceQueue } from './device-queue.ts';
import type { Arrival, IngestPipeline } from './pipeline.ts';
import { type DeviceReply, handleReply, payloadOf } from './replies.ts';
import { sortReadings } from './telemetry-message.ts';

interface UplinkParts {
  readonly app: App;
  readonly directory: Pick<DeviceDirectory, 'authenticate'>;
  readonly pipeline: IngestPipeline;
  readonly queue: DeviceQueue;
  readonly log: DeviceLog;
  readonly counters: IngestCounters;
  readonly now: () => number;
  readonly rawRetentionDays: number;
  readonly carryOut: CarryOut;
  readonly awaitsConfiguration: (device: LinkDevice) => Promise<void>;
  readonly reachable: (device: LinkDevice) => void;
  readonly observed: (event: LinkEvent) => void;
}

/** Readings older than the raw ones kept could not be told from repetitions, so they are not taken. */
export const readingWindow = (nowMs: number, rawRetentionDays: number): ReadingWindow => ({
  oldestMs: nowMs - rawRetentionDays * DAY_MS,
  newestMs: nowMs + CLOCK_AHEAD_MS_MAX,
});

/** The device is not told what our fault is, and whoever reads the rejection finds it in the log. */
const OUR_FAULT = 'the service could not process this message; its log says why';

/** Somebody has to try again: the storage cannot take it now, or too much is waiting for it. */
const isForNow = (error: unknown): boolean =>
  isStorageFault(error) || (error instanceof Refusal && error.code === 'ingest_busy');

/** What the service does with what devices say on the link. */
export class Uplink implements LinkHandler {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    return this.#parts.directory.authenticate(deviceId, secret);
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    switch (message.subject) {
      case 'telemetry':
        return this.#telemetry(
          device,
          Array.isArray(message.telemetry) ? message.telemetry : [message.telemetry],
        );
      case 'status':
        return this.#rejectFailed(device, this.#stateUsed(device, message.state.state), (reason) => ({
          ...{ topic: message.subject, reason, payloadExcerpt: message.state.state },
        }));
      case 'ack':
      case 'progress':
        return this.#rejectFailed(device, this.#reply(device, message), (reason) =>
          rejectionOf(message, reason),
        );
    }
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#submit(device, this.#arrival(device, { rejections: [this.#storable(device, rejection)] }));
  }

  connected(device: LinkDevice): void {
    this.#guard(device, 'noting the connection', this.#noticed(device, this.#seen(device)));
  }

  reachable(device: LinkDevice): void {
    this.#parts.reachable(device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    const { queue, awaitsConfiguration } = this.#parts;
    const sent = queue.run(device.deviceNo, () => awaitsConfiguration(device));
    this.#guard(device, 'sending the configuration', sent);
  }

  disconnected(device: LinkDevice, how: Parameters<LinkHandler['disconnected']>[1]): void {
    // A logger that connects, publishes and leaves is online for as long as what it said is fresh.
    if (how === 'replaced' || how === 'clean') return;
    this.#guard(device, 'noting the lost link', this.#state(device, 'offline'));
  }

  observed(event: LinkEvent): void {
    this.#parts.observed(event);
  }

  async #telemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<MessageOutcome> {
    const window = readingWindow(this.#parts.now(), this.#parts.rawRetentionDays);
    const { readings, rejection } = sortReadings(device, sent, window);
    const rejections = rejection === null ? [] : [this.#storable(device, rejection)];
    await this.#submit(device, this.#arrival(device, { readings, rejections }));
    return rejection === null ? 'used' : 'rejected';
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

  /** A device that replies is also present. */
  async #reply(device: LinkDevice, reply: DeviceReply): Promise<MessageOutcome> {
    const { app, queue, now } = this.#parts;
    const [result] = await Promise.all([
      queue.run(device.deviceNo, () => handleReply(app, device, reply, now())),
      this.#seen(device),
    ]);
    if (result.kind === 'applied') return 'used';
    await this.rejected(device, rejectionOf(reply, result.reason));
    return 'rejected';
  }

  /** A message that fails by our fault would fail again whenever it came, so it is rejected and not sent again. */
  async #rejectFailed(
    device: LinkDevice,
    processed: Promise<MessageOutcome>,
    rejectionFor: (reason: string) => LinkRejection,
  ): Promise<MessageOutcome> {
    try {
      return await processed;
    } catch (error) {
      if (isForNow(error)) throw error;
      const { log, counters } = this.#parts;
      counters.failedReplies++;
      log.error(device.deviceId, { err: error }, 'processing a message from a device failed');
      await this.rejected(device, rejectionFor(error instanceof Refusal ? error.message : OUR_FAULT));
      return 'rejected';
    }
  }

  async #noticed({ deviceNo }: LinkDevice, stored: Promise<void>): Promise<void> {
    await stored;
    // The batch that stored it asks for an evaluation only where a reading may matter; a connection always does.
    await this.#parts.carryOut(evaluateAlerts([deviceNo]));
  }

  #seen(device: LinkDevice): Promise<void> {
    return this.#submit(device, this.#arrival(device, {}));
  }

  #arrival(
    { deviceNo }: LinkDevice,
    { readings = [], rejections = [] }: Partial<Pick<Arrival, 'readings' | 'rejections'>>,
  ): Arrival {
    return { deviceNo, seenAtMs: this.#parts.now(), readings, rejections };
  }

  /** What cannot be stored by our fault is rejected, too. If not even that can be stored, it is in the log. */
  async #submit(device: LinkDevice, arrival: Arrival): Promise<void> {
    const { pipeline, log } = this.#parts;
    try {
      await pipeline.submitHeld(arrival);
    } catch (error) {
      if (isForNow(error)) throw error;
      log.error(device.deviceId, { err: error }, 'a message from a device cannot be stored');
      if (arrival.readings.length === 0) return;
      const payloadExcerpt = `${arrival.readings.length} readings`;
      await this.rejected(device, { topic: 'telemetry', reason: OUR_FAULT, payloadExcerpt });
    }
  }

  #storable(device: LinkDevice, { topic, reason, payloadExcerpt }: LinkRejection): NewRejection {
    const { log, counters } = this.#parts;
    counters.rejectedMessages++;
    log.warn(device.deviceId, { topic, reason }, 'message from device rejected');
    return {
      deviceNo: device.deviceNo,
      receivedAtMs: this.#parts.now(),
      topic,
      reason,
      payload: payloadExcerpt,
    };
  }

  /** Nobody waits for these; a failure is logged and the next message makes it good. */
  #guard(device: LinkDevice, doing: string, work: Promise<void>): void {
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
