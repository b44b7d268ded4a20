import type { DeviceReading } from '@granary/contract/telemetry';
import { DAY_MS } from '@granary/contract/time';
import {
  acceptReading,
  CLOCK_AHEAD_MS_MAX,
  isFault,
  type Reading,
  type ReadingWindow,
} from '@granary/core/telemetry';
import { printable } from '@granary/link/codec';
import { EXCERPT_CHARACTERS_MAX } from '@granary/link/limits';
import type { LinkDevice, LinkEvent, LinkHandler, LinkRejection, UplinkMessage } from '@granary/link/port';
import type { NewRejection } from '@granary/store/presence';
import type { Store } from '@granary/store/store';
import type { AlertEvaluator } from '../alerts.ts';
import type { DeviceCommands } from '../device-commands.ts';
import type { DeviceDirectory } from '../device-directory.ts';
import type { Logger } from '../logger.ts';
import type { IngestPipeline } from './pipeline.ts';
import { type DeviceReply, hear, wordOf } from './replies.ts';

interface UplinkParts {
  readonly store: Store;
  readonly directory: Pick<DeviceDirectory, 'authenticate'>;
  readonly pipeline: IngestPipeline;
  readonly logger: Logger;
  readonly now: () => number;
  readonly rawRetentionDays: number;
  readonly send: DeviceCommands['send'];
  readonly evaluator: AlertEvaluator;
  /** Called when something that devices were told to do may have changed. */
  readonly changed: () => void;
  readonly awaitsConfiguration: (device: LinkDevice) => Promise<void>;
  readonly reachable: (device: LinkDevice) => void;
  readonly observed: (event: LinkEvent) => void;
}

/** Readings older than the raw ones kept could not be told from repetitions, so they are not taken. */
export const readingWindow = (nowMs: number, rawRetentionDays: number): ReadingWindow => ({
  oldestMs: nowMs - rawRetentionDays * DAY_MS,
  newestMs: nowMs + CLOCK_AHEAD_MS_MAX,
});

/** What the service does with what devices say on the link. */
export class Uplink implements LinkHandler {
  readonly #parts: UplinkParts;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    return this.#parts.directory.authenticate(deviceId, secret);
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<void> {
    switch (message.subject) {
      case 'telemetry':
        return this.#telemetry(
          device,
          Array.isArray(message.telemetry) ? message.telemetry : [message.telemetry],
        );
      case 'status':
        return this.#state(device, message.state.state);
      case 'ack':
      case 'progress':
        return this.#reply(device, message);
    }
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#arrived(device, [], [this.#storable(device, rejection)]);
  }

  connected(device: LinkDevice): void {
    this.#guard(device, 'greeting', this.#noticed(device, this.#arrived(device, [], [])));
  }

  reachable(device: LinkDevice): void {
    this.#parts.reachable(device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    this.#guard(device, 'sending the configuration', this.#parts.awaitsConfiguration(device));
  }

  disconnected(device: LinkDevice, how: Parameters<LinkHandler['disconnected']>[1]): void {
    if (how === 'replaced') return;
    const { store, now } = this.#parts;
    const noted = this.#noticed(device, store.devices.recordLinkDown(device.deviceNo, now()));
    this.#guard(device, 'noting the lost link', noted);
  }

  observed(event: LinkEvent): void {
    this.#parts.observed(event);
  }

  /** A good reading is kept even when its neighbour in the same message is not: what is acknowledged must not be lost. */
  #telemetry(device: LinkDevice, sent: readonly DeviceReading[]): Promise<void> {
    const window = readingWindow(this.#parts.now(), this.#parts.rawRetentionDays);
    const readings: Reading[] = [];
    const rejections: NewRejection[] = [];
    for (const one of sent) {
      const result = acceptReading(device, one, window);
      if (isFault(result)) {
        const reason = `${result.path} ${result.message}`;
        rejections.push(
          this.#storable(device, { topic: 'telemetry', reason, payloadExcerpt: JSON.stringify(one) }),
        );
      } else {
        readings.push(result);
      }
    }
    return this.#arrived(device, readings, rejections);
  }

  async #state(device: LinkDevice, state: 'online' | 'offline' | 'maintenance'): Promise<void> {
    const { store, now } = this.#parts;
    const { deviceNo } = device;
    const stored =
      state === 'offline'
        ? store.devices.recordLinkDown(deviceNo, now())
        : store.devices.recordState(deviceNo, state, now());
    await this.#noticed(device, stored);
  }

  /** What the device says of what it was told to do. Being heard at all, it is also there. */
  async #reply(device: LinkDevice, reply: DeviceReply): Promise<void> {
    const { store, send, evaluator, changed, now } = this.#parts;
    const [heard] = await Promise.all([hear(store, device, reply, now()), this.#arrived(device, [], [])]);
    if (heard.kind === 'foreign') {
      const payloadExcerpt = printable(JSON.stringify(wordOf(reply)), EXCERPT_CHARACTERS_MAX);
      await this.rejected(device, { topic: reply.subject, reason: heard.reason, payloadExcerpt });
      return;
    }
    if (heard.send !== null) send(device.deviceId, heard.send);
    evaluator.wake([device.deviceNo]);
    changed();
  }

  async #noticed({ deviceNo }: LinkDevice, stored: Promise<void>): Promise<void> {
    await stored;
    this.#parts.evaluator.wake([deviceNo]);
  }

  #arrived(
    device: LinkDevice,
    readings: readonly Reading[],
    rejections: readonly NewRejection[],
  ): Promise<void> {
    const { pipeline, now } = this.#parts;
    return pipeline.submit({ deviceNo: device.deviceNo, seenAtMs: now(), readings, rejections });
  }

  #storable(device: LinkDevice, { topic, reason, payloadExcerpt }: LinkRejection): NewRejection {
    this.#parts.logger.warn({ device_id: device.deviceId, topic, reason }, 'message from device rejected');
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
      this.#parts.logger.warn({ device_id: device.deviceId, err: error }, `${doing} failed`);
    });
  }
}
