import type { App } from '@granary/app/app';
import { alertEvaluation, type CarryOut } from '@granary/app/effects';
import type { DeviceLink, LinkDevice, LinkEvent, LinkHandler } from '@granary/link/port';
import type { DeviceDirectory } from './device-directory.ts';
import { type DeviceLog, logFailure } from './device-log.ts';
import type { DeviceQueue } from './ingest/device-queue.ts';
import type { SessionEvents } from './ingest/uplink.ts';
import { type DuplicateWatch, logLinkEvent } from './link-events.ts';
import { sendConfiguration } from './sending/device-messages.ts';

interface SessionParts {
  readonly app: Pick<App, 'configuration'>;
  readonly directory: Pick<DeviceDirectory, 'authenticate'>;
  /** Stores that a device was seen. */
  readonly seen: (device: LinkDevice) => Promise<void>;
  readonly queue: DeviceQueue;
  readonly log: DeviceLog;
  readonly linkLog: DeviceLog;
  readonly duplicateWatch: DuplicateWatch;
  readonly carryOut: CarryOut;
}

interface Peers {
  readonly link: Pick<DeviceLink, 'sendConfiguration'>;
  readonly reconciler: { deviceReachable(device: LinkDevice): void };
}

/** Handles the logins and sessions of devices, in the main thread, whichever thread has their connections. */
export class DeviceSessions implements SessionEvents {
  readonly #parts: SessionParts;
  #peers: Peers | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** A separate step, because the link needs these handlers; before it no device is connected. */
  connect(peers: Peers): void {
    this.#peers = peers;
  }

  authenticate(deviceId: string, secret: string): ReturnType<LinkHandler['authenticate']> {
    return this.#parts.directory.authenticate(deviceId, secret);
  }

  connected(device: LinkDevice): void {
    logFailure(this.#parts.log, device, 'noting the connection', this.#updatePresence(device));
  }

  disconnected(): void {
    // There is nothing to do: the lost connection is recorded where the messages of the device are.
  }

  reachable(device: LinkDevice): void {
    this.#peers?.reconciler.deviceReachable(device);
  }

  unreachable(): void {
    // There is nothing to do: the sender of a message learns from its result that the device is not reachable.
  }

  awaitsConfiguration(device: LinkDevice): void {
    const sent = this.#parts.queue.run(device.deviceNo, () => this.#sendStoredConfiguration(device));
    logFailure(this.#parts.log, device, 'sending the configuration', sent);
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

  async #updatePresence(device: LinkDevice): Promise<void> {
    const { seen, carryOut } = this.#parts;
    await seen(device);
    // The batch requests an evaluation only for readings that can change an alert; a connection always can.
    await carryOut(alertEvaluation([device.deviceNo]), performance.now());
  }
}
