import type { DeviceLink } from '@granary/link/port';
import type { StoredEvent } from '@granary/store/tables/events';

/** Ends the sessions of devices that must log in again, on whichever node the device was changed. */
export class SessionEndings {
  #link: Pick<DeviceLink, 'disconnect'> | null = null;

  /** Before that there are no sessions. */
  start(link: Pick<DeviceLink, 'disconnect'>): void {
    this.#link = link;
  }

  observe(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.deviceId !== null && endsSession(event)) this.#link?.disconnect(event.deviceId);
    }
  }
}

/** A removed device must not send; a session has the capacity that it began with, by which weights are checked. */
const endsSession = ({ type, data }: StoredEvent): boolean =>
  type === 'device.removed' ||
  (type === 'device.updated' && Array.isArray(data['changed']) && data['changed'].includes('capacity'));
