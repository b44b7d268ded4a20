import type { App } from '@granary/app/app';
import { BoundedMap } from '@granary/common/bounded-map';
import { NO_TAKEOVERS, noteTakeover, type Takeovers } from '@granary/core/reception/duplicate';
import type { LinkEvent } from '@granary/link/port';
import type { DeviceDirectory } from './device-directory.ts';
import type { DeviceLog } from './device-log.ts';

/** When there are more devices, the takeovers of the one whose last takeover is oldest are forgotten. */
const DEVICES_MAX = 1_000;

/** Writes a link event to the log; a peer without a valid device id is identified by its address. */
export function logLinkEvent(log: DeviceLog, event: LinkEvent): void {
  const { level, text, details } = lineOf(event);
  const fields = { device_id: event.deviceId, remote_address: event.remoteAddress, ...details };
  log[level](event.deviceId ?? event.remoteAddress, fields, text);
}

interface Line {
  readonly level: 'info' | 'warn';
  readonly text: string;
  readonly details: Record<string, unknown>;
}

function lineOf(event: LinkEvent): Line {
  switch (event.kind) {
    case 'connected':
      return {
        level: 'info',
        text: event.isTakeover ? 'device connected and replaced its old connection' : 'device connected',
        details: { session: event.session },
      };
    case 'disconnected':
      return {
        level: 'info',
        text: 'device disconnected',
        details: { ending: event.ending, detail: event.detail },
      };
    case 'second_client':
      return {
        level: 'warn',
        text: 'another client logs in as this device',
        details: { previous_address: event.previousAddress },
      };
    case 'login_refused':
      return { level: 'info', text: 'login on the device link refused', details: { reason: event.reason } };
    case 'subscription_refused':
      return { level: 'info', text: 'subscription refused', details: { reason: event.reason } };
    case 'fault':
      return {
        level: 'warn',
        text: 'connection closed for a fault',
        details: { reason: event.reason, ...('cause' in event ? { err: event.cause } : {}) },
      };
  }
}

interface WatchParts {
  readonly app: { readonly devices: Pick<App['devices'], 'recordDuplicate'> };
  readonly directory: Pick<DeviceDirectory, 'findForLink'>;
  readonly log: Pick<DeviceLog, 'warn'>;
  readonly now: () => number;
}

/** Counts how often two clients of one device replace each other, and stores it when it is not a coincidence any more. */
export class DuplicateWatch {
  readonly #parts: WatchParts;
  readonly #takeovers = new BoundedMap<string, Takeovers>(DEVICES_MAX);

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  observe(event: LinkEvent): void {
    if (event.kind !== 'second_client' || event.deviceId === null) return;
    const { deviceId, previousAddress, remoteAddress } = event;
    const addresses = previousAddress === null ? [] : [previousAddress, remoteAddress];
    const before = this.#takeovers.get(deviceId) ?? NO_TAKEOVERS;
    const after = noteTakeover(before, { atMs: this.#parts.now(), addresses });
    this.#takeovers.set(deviceId, after);
    if (after.stored === null || after.stored === before.stored) return;
    // A failed write is repeated with a later takeover.
    this.#store(deviceId, after.stored).catch((error: unknown) => {
      this.#parts.log.warn(deviceId, { err: error }, 'noting that two clients use one device id failed');
    });
  }

  async #store(deviceId: string, duplicate: NonNullable<Takeovers['stored']>): Promise<void> {
    const { app, directory } = this.#parts;
    const device = await directory.findForLink(deviceId);
    if (device !== null) await app.devices.recordDuplicate(device.deviceNo, duplicate);
  }
}
