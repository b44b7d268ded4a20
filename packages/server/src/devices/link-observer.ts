import type { StoredEvent } from '@granary/app/events/event-rows';
import { changesSensors } from './declared-sensors.ts';
import type { ServiceLink } from './link/service-link.ts';

/** Tells the link of this node which devices must log in again and whose sensors have changed, on whichever node it happened. */
export class LinkObserver {
  readonly #link: Pick<ServiceLink, 'disconnect' | 'access' | 'forgetSensors'>;

  constructor(link: Pick<ServiceLink, 'disconnect' | 'access' | 'forgetSensors'>) {
    this.#link = link;
  }

  observe(events: readonly StoredEvent[]): void {
    for (const event of events) {
      const { deviceId, type } = event;
      if (deviceId === null) continue;
      if (changesSensors(event)) this.#link.forgetSensors(deviceId);
      if (!endsSession(event)) continue;
      if (type === 'device.removed') this.#link.access.removed(deviceId);
      this.#link.disconnect(deviceId);
    }
  }
}

/** A removed device must not send, and a session keeps the capacity with which it began and by which weights are checked. */
const endsSession = ({ type, data }: StoredEvent): boolean =>
  type === 'device.removed' ||
  (type === 'device.updated' && Array.isArray(data['changed']) && data['changed'].includes('capacity'));
