import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync } from 'mqtt';
import type { Credentials } from '../drivers/driver.ts';
import { brokerAddress } from '../drivers/mqtt/broker-address.ts';
import { type AnnouncedDevice, Announcements, discoveryFilters } from './home-assistant.ts';

const CONNECT_MS_MAX = 10_000;

interface Listening {
  readonly broker: string;
  readonly login: Credentials | null;
  /** The first level of the topics of announcements, which is `homeassistant` by default. */
  readonly prefix: string;
  readonly forMs: number;
}

/** Listens to a broker for some seconds: retained announcements arrive at once, others when they are published. */
export async function announcedDevices({
  broker,
  login,
  prefix,
  forMs,
}: Listening): Promise<AnnouncedDevice[]> {
  const announcements = new Announcements(prefix);
  const client = await connectAsync({
    ...brokerAddress(broker),
    clean: true,
    reconnectPeriod: 0,
    connectTimeout: CONNECT_MS_MAX,
    ...(login === null ? {} : { username: login.username, password: login.password }),
  });
  try {
    client.on('message', (topic, payload) => announcements.add(topic, payload.toString()));
    await client.subscribeAsync(discoveryFilters(prefix), { qos: 0 });
    await sleep(forMs);
  } finally {
    await client.endAsync(true);
  }
  return announcements.devices();
}
