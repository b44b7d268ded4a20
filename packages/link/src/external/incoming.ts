import { setTimeout } from 'node:timers/promises';
import type { DeviceState } from '@granary/contract/link/messages';
import type { IPublishPacket } from 'mqtt-packet';
import { decode, printable } from '../codec.ts';
import { EXCERPT_CHARACTERS_MAX } from '../limits.ts';
import type { LinkDevice, LinkHandler } from '../port.ts';
import { deliver } from '../session/deliver.ts';
import type { LinkRecords } from '../session/link-records.ts';
import { isUpSubject, parseTopic } from '../topics.ts';
import type { ConnectedDevices } from './connected-devices.ts';
import type { ExternalHandler } from './handler.ts';
import type { KnownDevices } from './known-devices.ts';

interface IncomingParts {
  readonly handler: LinkHandler;
  readonly external: Pick<ExternalHandler, 'brokerEvent'>;
  readonly devices: KnownDevices;
  readonly connected: ConnectedDevices;
  readonly records: LinkRecords;
  readonly settleMs: number;
  /** Returns false while this node may not know the newest status messages. */
  readonly isCurrent: () => boolean;
}

/** Passes the messages of devices to the service. The broker lets each device publish on its own topics only. */
export class Incoming {
  readonly #parts: IncomingParts;

  constructor(parts: IncomingParts) {
    this.#parts = parts;
  }

  readonly take = async ({ topic, payload, retain }: IPublishPacket): Promise<void> => {
    // A retained message was received already when it was published.
    if (retain) return;
    const { handler, devices, records } = this.#parts;
    const parsed = parseTopic(topic);
    if (parsed === null || !isUpSubject(parsed.subject))
      return this.#unusable(topic, '', 'not a topic of devices');
    const device = await devices.find(parsed.deviceId);
    if (device === null) return this.#unusable(topic, parsed.deviceId, 'no such device');
    const record = records.of(device.deviceId);
    record.messagesIn += 1;
    records.totals.messagesIn += 1;
    const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(payload);
    // An empty message only removes what the broker has retained.
    if (parsed.subject === 'status' && bytes.length === 0) return;
    const state = parsed.subject === 'status' ? stateIn(device, bytes) : null;
    if (state === null) await deliver(handler, device, topic, bytes);
    else await this.#status(device, state);
  };

  /**
   * Handles a status message. It may be late, because the broker kept it while no node took it, or because this node lost the
   * session and still handles messages from before. Every node also receives the newest ones over its other connection, so
   * after a short time it is known whether this is one of them.
   */
  async #status(device: LinkDevice, state: DeviceState): Promise<void> {
    const { handler, connected, settleMs, isCurrent } = this.#parts;
    const { deviceId } = device;
    const isEnd = state.state === 'offline';
    if (isEnd || connected.isNewest(deviceId, state) !== true) await setTimeout(settleMs);
    if (isCurrent() && connected.isNewest(deviceId, state) === false) return;
    await handler.received(device, { subject: 'status', state });
    if (isEnd) return;
    handler.connected(device);
    handler.awaitsConfiguration(device);
    if (connected.isReachable(deviceId)) handler.reachable(device);
  }

  #unusable(topic: string, deviceId: string, reason: string): void {
    this.#parts.external.brokerEvent({
      kind: 'unusable',
      topic: printable(topic, EXCERPT_CHARACTERS_MAX),
      deviceId: printable(deviceId, EXCERPT_CHARACTERS_MAX),
      reason,
    });
  }
}

/** Returns `null` for a message that is rejected like any other. */
function stateIn({ profile }: LinkDevice, payload: Buffer): DeviceState | null {
  try {
    const decoded = decode(profile, 'status', payload);
    return 'subject' in decoded && decoded.subject === 'status' ? decoded.state : null;
  } catch {
    return null;
  }
}
