import { Aedes, type Client, type PublishPacket, type Subscription } from 'aedes';
import { isDownSubject, ownSubject } from './topics.ts';

type Done = (error?: Error) => void;

/** The part that matters here of what aedes keeps sessions in; it exists once aedes listens. */
interface SessionStore {
  addSubscriptions(client: Client, subscriptions: readonly Subscription[]): Promise<void>;
}

/** Whether a device may hear what is published here. */
export function maySubscribe(deviceId: string, filter: string): boolean {
  const subject = ownSubject(deviceId, filter);
  return subject !== null && isDownSubject(subject);
}

/** aedes, narrowed to what devices need: they talk to the service and listen to it, never to one another. */
export class DeviceBroker extends Aedes {
  declare readonly persistence: SessionStore;

  override async listen(): Promise<void> {
    await super.listen();
    storeOwnSubscriptionsOnly(this.persistence);
  }

  /**
   * A device's message has reached the service before it gets here, and no subscription could match it. Retaining and
   * routing it would only cost time and memory.
   */
  override publish(packet: PublishPacket, from: Client | Done, done?: Done): void {
    if (typeof from === 'function') super.publish(packet, from);
    else done?.();
  }
}

/**
 * aedes stores every filter of a SUBSCRIBE as soon as one of them is allowed, and would then queue other devices'
 * commands for a session that outlives its connection.
 */
function storeOwnSubscriptionsOnly(store: SessionStore): void {
  const add = store.addSubscriptions.bind(store);
  store.addSubscriptions = (client, subscriptions) =>
    add(
      client,
      subscriptions.filter(({ topic }) => maySubscribe(client.id, topic)),
    );
}
