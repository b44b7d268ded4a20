import type { App } from '@granary/app/app';
import { alertEvaluation, type CarryOut } from '@granary/app/effects';
import { Refusal } from '@granary/contract/errors';
import type { DeviceState } from '@granary/contract/link/messages';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { CLOCK_AHEAD_MS_MAX } from '@granary/core/devices/time-limits';
import type { ReadingSource, ReadingWindow } from '@granary/core/telemetry/readings';
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
import type { DeclaredSensorsCache } from '../devices/declared-sensors-cache.ts';
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
  readonly declaredSensors: Pick<DeclaredSensorsCache, 'cached' | 'lookUp'>;
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

/** Readings older than the raw retention are rejected, because a repeated one could not be recognised. */
export const readingWindow = (nowMs: number, rawRetentionDays: number): ReadingWindow => ({
  oldestMs: nowMs - rawRetentionDays * DAY_MS,
  newestMs: nowMs + CLOCK_AHEAD_MS_MAX,
});

/** The rejection does not show details of a fault of the service; they are in the log. */
const SERVICE_FAULT = 'the service could not process this message; its log says why';

const NONE: readonly never[] = [];
const asUsed = (): MessageOutcome => 'used';
const asRejected = (): MessageOutcome => 'rejected';

/** The message must be sent again: the storage is not available, or too many messages wait for it. */
const isTemporary = (error: unknown): boolean =>
  isStorageFault(error) || (error instanceof Refusal && error.code === 'ingest_busy');

/** Handles the messages and connections of devices. */
export class Uplink implements LinkHandler {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#parts.pipeline.isHolding;
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
    this.#logFailure(device, 'noting the connection', this.#updatePresence(device, this.#seen(device)));
  }

  reachable(device: LinkDevice): void {
    this.#parts.reachable(device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    const { queue, awaitsConfiguration } = this.#parts;
    const sent = queue.run(device.deviceNo, () => awaitsConfiguration(device));
    this.#logFailure(device, 'sending the configuration', sent);
  }

  disconnected(device: LinkDevice, how: Parameters<LinkHandler['disconnected']>[1]): void {
    // A logger that connects, publishes and disconnects stays online while its readings are fresh.
    if (how === 'replaced' || how === 'clean') return;
    this.#logFailure(device, 'noting the lost link', this.#state(device, 'offline'));
  }

  observed(event: LinkEvent): void {
    this.#parts.observed(event);
  }

  /** Most devices have no declared sensors, and their messages do not wait for a look-up. In an outage the others wait. */
  #telemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<MessageOutcome> {
    for (const { sensors } of sent) if (sensors !== undefined) return this.#declaredTelemetry(device, sent);
    try {
      return this.#storeReadings(device, device, sent);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #declaredTelemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<MessageOutcome> {
    const { declaredSensors, queue } = this.#parts;
    const { deviceId, deviceNo } = device;
    const declared =
      declaredSensors.cached(deviceId) ?? (await queue.run(deviceNo, () => declaredSensors.lookUp(deviceId)));
    return await this.#storeReadings(device, { ...device, declared }, sent);
  }

  /** Not an async function, because each one costs every message further promises. */
  #storeReadings(
    device: LinkDevice,
    source: ReadingSource,
    sent: readonly DeviceReading[],
  ): Promise<MessageOutcome> {
    const window = readingWindow(this.#parts.now(), this.#parts.rawRetentionDays);
    const { readings, rejection } = sortReadings(source, sent, window);
    const rejections = rejection === null ? NONE : [this.#storable(device, rejection)];
    const stored = this.#submit(device, this.#arrival(device, { readings, rejections }));
    return stored.then(rejection === null ? asUsed : asRejected);
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
      this.#seen(device),
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

  async #updatePresence({ deviceNo }: LinkDevice, stored: Promise<void>): Promise<void> {
    await stored;
    // The batch requests an evaluation only for readings that can change an alert; a connection always can.
    await this.#parts.carryOut(alertEvaluation([deviceNo]));
  }

  #seen(device: LinkDevice): Promise<void> {
    return this.#submit(device, this.#arrival(device, {}));
  }

  #arrival(
    { deviceNo }: LinkDevice,
    { readings = NONE, rejections = NONE }: Partial<Pick<Arrival, 'readings' | 'rejections'>>,
  ): Arrival {
    return { deviceNo, seenAtMs: this.#parts.now(), readings, rejections };
  }

  #submit(device: LinkDevice, arrival: Arrival): Promise<void> {
    const stored = this.#parts.pipeline.submitHeld(arrival);
    return stored.catch((error: unknown) => this.#unstorable(device, arrival, error));
  }

  /** A message that cannot be stored because of a fault is rejected; if the rejection cannot be stored either, it is logged. */
  async #unstorable(device: LinkDevice, arrival: Arrival, error: unknown): Promise<void> {
    if (isTemporary(error)) throw error;
    this.#parts.log.error(device.deviceId, { err: error }, 'a message from a device cannot be stored');
    if (arrival.readings.length === 0) return;
    const payloadExcerpt = `${arrival.readings.length} readings`;
    await this.rejected(device, { topic: 'telemetry', reason: SERVICE_FAULT, payloadExcerpt });
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
