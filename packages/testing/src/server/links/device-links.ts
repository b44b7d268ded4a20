import { randomBytes } from 'node:crypto';
import { topicOf, type UpSubject } from '@granary/contract/link/messages';
import type { IClientOptions, MqttClient } from 'mqtt';
import { describeEachEngine, describePostgres, type TestEngine } from '../../app/engines.ts';
import { SERVICE_USER, startDynamicSecurityBroker } from '../../link/mosquitto-broker.ts';
import { BrokerTap } from './broker-tap.ts';

/** The limit is minutes, because a busy machine is slow; a test that passes does not wait for it. */
const PATIENCE_MS = 180_000;

/** `npm test` reports in large letters that all tests with Mosquitto are left out. */
const isMosquittoMissing = process.env['GRANARY_TEST_WITHOUT']?.split(',').includes('mosquitto') ?? false;

type Env = Readonly<Record<string, string>>;

/** One connection of a device. */
interface DeviceSession {
  readonly options: IClientOptions;
  /** The first actions of a device when it is connected and subscribed. */
  begin(client: MqttClient): Promise<void>;
  /** Resolves when the service has used the message. */
  publish(client: MqttClient, subject: UpSubject, payload: string): Promise<void>;
}

/** The broker to which the devices of a test connect, and what they must do there (docs/devices.md). */
export interface DeviceLink {
  readonly name: 'embedded broker' | 'Mosquitto';
  /** A session of the device that begins with its next connection. */
  session(deviceId: string): DeviceSession;
}

/** A link that begins and ends with the service of a suite. */
export interface RunningLink extends DeviceLink {
  /** Settings of the service. */
  readonly env: Env;
  stop(): Promise<void>;
}

/** The embedded broker knows the connections, and acknowledges a message when it is stored. */
export const EMBEDDED: RunningLink = {
  name: 'embedded broker',
  env: {},
  session: (deviceId) => ({
    options: {},
    begin: async () => undefined,
    async publish(client, subject, payload) {
      await client.publishAsync(topicOf(deviceId, subject), payload, {
        qos: 1,
        retain: subject === 'status',
      });
    },
  }),
  stop: async () => undefined,
};

/** Starts a real Mosquitto beside the service, which tells it the secrets of devices; devices themselves report that they are connected. */
async function startMosquittoLink(): Promise<RunningLink> {
  const broker = await startDynamicSecurityBroker();
  const tap = await BrokerTap.start(broker);
  const published = new Map<string, number>();

  const untilUsed = async (subject: UpSubject, topic: string, payload: string): Promise<void> => {
    const key = `${topic} ${payload}`;
    const times = (published.get(key) ?? 0) + 1;
    published.set(key, times);
    const message = { topic, payload };
    const tooLate = new Error(`the service did not acknowledge ${key}`);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooLate), PATIENCE_MS);
    const used = Promise.all([
      tap.acknowledged('messages', message, times),
      ...(subject === 'status' ? [tap.acknowledged('control', message, times)] : []),
    ]);
    await Promise.race([used, late.promise]).finally(() => clearTimeout(timer));
  };

  return {
    name: 'Mosquitto',
    env: {
      GRANARY_BROKER_URL: tap.url.replace('//', `//${SERVICE_USER.username}:${SERVICE_USER.password}@`),
      GRANARY_BROKER_ACCESS: 'dynamic-security',
    },
    session(deviceId) {
      const session = randomBytes(4).toString('hex');
      const status = topicOf(deviceId, 'status');
      const will = Buffer.from(JSON.stringify({ state: 'offline', session }));
      const publish: DeviceSession['publish'] = async (client, subject, payload) => {
        const topic = topicOf(deviceId, subject);
        const text = subject === 'status' ? withSession(payload, session) : payload;
        await client.publishAsync(topic, text, { qos: 1, retain: subject === 'status' });
        await untilUsed(subject, topic, text);
      };
      return {
        options: { will: { topic: status, payload: will, qos: 1, retain: true } },
        begin: (client) => publish(client, 'status', '{"state":"online"}'),
        publish,
      };
    },
    async stop() {
      await tap.stop();
      await broker.remove();
    },
  };
}

const withSession = (payload: string, session: string): string =>
  JSON.stringify({ ...JSON.parse(payload), session });

export interface TestedLink {
  readonly name: DeviceLink['name'];
  start(): Promise<RunningLink>;
}

const ALL_LINKS: readonly TestedLink[] = [
  { name: 'embedded broker', start: async () => EMBEDDED },
  { name: 'Mosquitto', start: startMosquittoLink },
];

/** Every link on which suites about devices run. */
export const LINKS = ALL_LINKS.filter(({ name }) => name !== 'Mosquitto' || !isMosquittoMissing);

/**
 * Runs the same suite with devices on the embedded broker, on both databases, and with devices on Mosquitto, on PostgreSQL, which is
 * what several nodes need.
 */
export function describeEachLink(name: string, suite: (engine: TestEngine, link: TestedLink) => void): void {
  for (const link of LINKS) {
    if (link.name === 'embedded broker') describeEachEngine(name, (engine) => suite(engine, link));
    else describePostgres(`${name}, devices on ${link.name}`, (engine) => suite(engine, link));
  }
}
