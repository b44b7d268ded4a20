import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { closeOf } from '@granary/testing/link/fixture';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';
import { siloNamed } from '@granary/testing/server/service';
import { Aedes } from 'aedes';
import { connectAsync, type MqttClient } from 'mqtt';

const SECRET = 'the-secret-of-the-asking-broker-of-the-tests';
const OWN_PASSWORD = 'password-of-the-service';
const SILOS = '/v1/siloscale/devices';
const HOST = '127.0.0.1';

/** A broker other than Mosquitto. It knows only the user of the service itself, and asks the service about all others over HTTP. */
class AskingBroker {
  serviceUrl = '';
  readonly #server: Server;
  readonly #broker: Aedes;

  private constructor(broker: Aedes) {
    this.#broker = broker;
    this.#server = createServer(broker.handle);
  }

  static async start(): Promise<AskingBroker> {
    const broker = await Aedes.createBroker({ maxClientsIdLength: 64 });
    const asking = new AskingBroker(broker);
    const users = new Map<string, string>();
    const isOwn = (clientId: string): boolean => users.get(clientId) === 'granary';
    broker.authenticate = (client, given, secret, done) => {
      const username = given ?? '';
      const password = secret?.toString() ?? '';
      users.set(client.id, username);
      if (username === 'granary') return done(null, password === OWN_PASSWORD);
      const login = { username, password, clientid: client.id };
      asking.#ask('auth', login).then<void, void>(
        (isAllowed) => done(null, isAllowed),
        () => done(null, false),
      );
    };
    const mayUse = async (clientid: string, topic: string, action: string): Promise<boolean> =>
      isOwn(clientid) ||
      (await asking.#ask('acl', { username: users.get(clientid) ?? '', clientid, topic, action }));
    broker.authorizePublish = (client, { topic }, done) => {
      const asked = client === null ? Promise.resolve(true) : mayUse(client.id, topic, 'publish');
      asked.then((isAllowed) => done(isAllowed ? null : new Error('not allowed')), done);
    };
    broker.authorizeSubscribe = (client, subscription, done) => {
      const asked =
        client === null ? Promise.resolve(true) : mayUse(client.id, subscription.topic, 'subscribe');
      asked.then((isAllowed) => done(null, isAllowed ? subscription : null), done);
    };
    asking.#server.listen(0, HOST);
    await once(asking.#server, 'listening');
    return asking;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #ask(question: 'auth' | 'acl', fields: object): Promise<boolean> {
    const { status } = await fetch(`${this.serviceUrl}/v1/broker/${question}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return status === 200;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#broker.close(resolve));
    this.#server.close();
  }
}

const broker = await AskingBroker.start();

describe('a broker that asks the service', () => {
  const { api, current } = localService({
    env: {
      GRANARY_BROKER_URL: `mqtt://granary:${OWN_PASSWORD}@${HOST}:${broker.port}`,
      GRANARY_BROKER_ACCESS: 'http',
      GRANARY_BROKER_SECRET: SECRET,
    },
  });
  const clients: MqttClient[] = [];
  before(() => {
    broker.serviceUrl = current().httpUrl;
  });
  after(async () => {
    for (const client of clients) client.end(true);
    await broker.stop();
  });

  const register = async (deviceId: string): Promise<string> =>
    (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials.secret;
  const connect = async (deviceId: string, password: string, clientId = deviceId): Promise<MqttClient> => {
    const login = { clientId, username: deviceId, password, reconnectPeriod: 0 };
    const client = await connectAsync(`mqtt://${HOST}:${broker.port}`, login, false);
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };

  test('lets a registered device in, on its own topics only', async () => {
    const secret = await register('silo-1');
    await register('silo-2');
    await assert.rejects(connect('silo-1', 'wrong'));
    await assert.rejects(connect('silo-1', secret, 'silo-2'));
    const silo = await connect('silo-1', secret);
    await silo.subscribeAsync([topicOf('silo-1', 'command'), topicOf('silo-1', 'config')], { qos: 1 });
    await silo.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1, retain: true });
    const isConnected = async () => (await api.get(`${SILOS}/silo-1/link`)).body.data.connected;
    await eventually(isConnected, true);
    for (const topic of ['#', topicOf('silo-2', 'command'), 'granary/nodes/#'])
      await assert.rejects(silo.subscribeAsync(topic, { qos: 1 }), topic);
    const closed = closeOf(silo);
    silo.publish(topicOf('silo-2', 'status'), '{"state":"online"}', { qos: 1 });
    await closed;
    assert.equal((await api.get(`${SILOS}/silo-2/link`)).body.data.connected, false);
  });

  test('ends the connection of replaced credentials and of a removed device for good', async () => {
    const before = await register('replaced');
    const first = await connect('replaced', before);
    const firstClosed = closeOf(first);
    const { secret } = (await api.post(`${SILOS}/replaced/credentials`)).body.data;
    await firstClosed;
    await assert.rejects(connect('replaced', before));
    const second = await connect('replaced', secret);
    const secondClosed = closeOf(second);
    assert.equal((await api.delete(`${SILOS}/replaced`)).status, 200);
    await secondClosed;
    await assert.rejects(connect('replaced', secret));
  });
});
