import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describePostgres } from '@granary/testing/app/engines';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { MosquittoBroker, startDynamicSecurityBroker } from '@granary/testing/link/mosquitto-broker';
import { type Publisher, startPublisher } from '@granary/testing/server/devices/publisher';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { siloNamed } from '@granary/testing/server/service';

const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;
const NODES = IS_FULL_SIZE ? 3 : 2;
const DEVICES = ['restart-1', 'restart-2', 'restart-3', 'restart-4'];
/** Each device has ten messages on their way, and sends the next one this long after an acknowledgement. */
const PAUSE_MS = IS_FULL_SIZE ? 25 : 100;
/** This is long enough for every device to be acknowledged while no node is subscribed. */
const UNHEARD_MS = 1_000;

const BROKERS = {
  'Mosquitto with dynamic security': {
    start: () => startDynamicSecurityBroker(),
    access: 'dynamic-security',
    restarts: IS_FULL_SIZE ? 20 : 6,
  },
  'Mosquitto without it': {
    start: () => MosquittoBroker.start(),
    access: 'manual',
    restarts: IS_FULL_SIZE ? 20 : 2,
  },
};

for (const [name, { start: startBroker, access, restarts }] of Object.entries(BROKERS)) {
  describePostgres(`${NODES} nodes, and ${name} that restarts`, (engine) => {
    const startNode = nodeProcesses(engine);
    const publishers: Publisher[] = [];
    let broker: MosquittoBroker;
    let nodes: NodeProcess[] = [];

    before(async () => {
      if (without !== false) return;
      broker = await startBroker();
      nodes = await startNodes();
    });
    after(async () => {
      for (const publisher of publishers) publisher.abandon();
      await broker?.remove();
    });

    const startNodes = (): Promise<NodeProcess[]> => Promise.all(Array.from({ length: NODES }, startOne));
    const startOne = (): Promise<NodeProcess> =>
      startNode({ GRANARY_BROKER_URL: broker.url, GRANARY_BROKER_ACCESS: access });
    const restart = async (): Promise<void> => {
      await broker.end();
      await broker.restart();
    };
    /** Waits while devices are acknowledged and no node takes their messages. */
    const unheard = (): Promise<void> => sleep(UNHEARD_MS);
    const kill = (): Promise<unknown> => Promise.all(nodes.map((node) => node.kill()));
    const stop = (): Promise<unknown> => Promise.all(nodes.map((node) => node.stop()));
    const signal = (name: NodeJS.Signals): void => {
      for (const { pid } of nodes) process.kill(pid, name);
    };

    const orders: readonly (() => Promise<void>)[] = [
      // The nodes run all the time.
      restart,
      // The nodes are killed first and come back last.
      async () => {
        await kill();
        await unheard();
        await restart();
        await unheard();
        nodes = await startNodes();
      },
      // The nodes end and start again before the broker is there.
      async () => {
        await broker.end();
        await stop();
        const starting = startNodes();
        await unheard();
        await broker.restart();
        nodes = await starting;
      },
      // One node, each time another one, is killed together with the broker and comes back later.
      async () => {
        const first = nodes.shift();
        await Promise.all([restart(), first?.kill()]);
        await unheard();
        nodes.push(await startOne());
      },
      // The nodes are frozen while the broker restarts.
      async () => {
        signal('SIGSTOP');
        await unheard();
        await restart();
        await unheard();
        signal('SIGCONT');
      },
      // The nodes end first, and the broker restarts twice without them.
      async () => {
        await stop();
        await restart();
        await unheard();
        await restart();
        await unheard();
        nodes = await startNodes();
      },
    ];

    test(`${restarts} restarts lose nothing that devices were acknowledged`, {
      skip: without,
      timeout: 1_200_000,
    }, async (t) => {
      const url = new URL(broker.url);
      url.username = '';
      url.password = '';
      for (const deviceId of DEVICES) {
        const registered = await nodes[0]?.api.post('/v1/siloscale/devices', siloNamed(deviceId));
        assert(registered);
        assert.equal(registered.status, 200, registered.text);
        const { secret } = registered.body.data.credentials;
        publishers.push(startPublisher(url, deviceId, secret, PAUSE_MS));
      }
      for (let count = 0; count < restarts; count++) {
        await orders[count % orders.length]?.();
        await unheard();
      }
      const acknowledged = await Promise.all(publishers.map((publisher) => publisher.stop()));
      const app = await engine.open();
      const expected: string[] = [];
      for (const [index, readings] of acknowledged.entries()) {
        const device = await app.devices.find(DEVICES[index] ?? '');
        expected.push(...readings.map(({ tsMs, weightG }) => `${device?.deviceNo} ${tsMs} ${weightG}`));
      }
      assert.ok(expected.length > restarts * DEVICES.length * 10, `${expected.length} acknowledged`);
      const missing = async (): Promise<number> => {
        const raw = await rawReadings(engine.location);
        const stored = new Set(raw.map(({ deviceNo, tsMs, a }) => `${deviceNo} ${tsMs} ${a}`));
        assert.equal(stored.size, raw.length, 'no reading is stored twice');
        return expected.filter((reading) => !stored.has(reading)).length;
      };
      t.diagnostic(`${expected.length} readings were acknowledged over ${restarts} restarts`);
      await eventually(missing, 0);
    });
  });
}
