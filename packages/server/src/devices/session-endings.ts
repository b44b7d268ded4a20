import type { StoredEvent } from '@granary/app/events/event-rows';
import type { ServiceLink } from './link/service-link.ts';

type Link = Pick<ServiceLink, 'disconnect' | 'access'>;

/** Ends the sessions of devices that must log in again, on whichever node the device was changed. */
export class SessionEndings {
  #link: Link | null = null;

  /** Before that there are no sessions. */
  start(link: Link): void {
    this.#link = link;
  }

  observe(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const { deviceId, type } = event;
      if (deviceId === null || !endsSession(event)) continue;
      if (type === 'device.removed') this.#link?.access.removed(deviceId);
      this.#link?.disconnect(deviceId);
    }
  }
}

/** A removed device must not send; a session has the capacity that it began with, by which weights are checked. */
const endsSession = ({ type, data }: StoredEvent): boolean =>
  type === 'device.removed' ||
  (type === 'device.updated' && Array.isArray(data['changed']) && data['changed'].includes('capacity'));
