import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describePostgres } from '@granary/testing/app/engines';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { StallingProxy } from '@granary/testing/server/stalling-proxy';

const options = {
  skip: process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
    ? 'mosquitto is not installed here'
    : false,
};
/** This is the time of some beats of a node. */
const SEEN_MS = 3_000;

describePostgres('the node that takes messages from the external broker', (engine) => {
  const start = nodeProcesses(engine);
  let broker: MosquittoBroker;
  let brokerProxy: StallingProxy;
  let databaseProxy: StallingProxy;
  before(async () => {
    if (options.skip !== false) return;
    broker = await MosquittoBroker.start();
    brokerProxy = new StallingProxy(broker.url);
    databaseProxy = new StallingProxy(urlOfDatabase());
  });
  after(async () => {
    brokerProxy?.stop();
    databaseProxy?.stop();
    await broker?.remove();
  });

  const urlOfDatabase = (): string => {
    assert(engine.location.engine === 'postgres');
    return engine.location.url;
  };
  const startNode = (env: Readonly<Record<string, string>> = {}): Promise<NodeProcess> =>
    start({ GRANARY_BROKER_URL: broker.url, ...env });
  /** The number of connections of a node to the broker: each node has one, and the node that takes messages has a second one. */
  const connections = async ({ httpUrl }: NodeProcess): Promise<number> => {
    const metrics = await (await fetch(`${httpUrl}/metrics`)).text();
    return Number(/^granary_link_connections (\d+)/m.exec(metrics)?.[1]);
  };
  const stays = async (node: NodeProcess, count: number): Promise<void> => {
    await eventually(() => connections(node), count);
    const untilMs = performance.now() + SEEN_MS;
    while (performance.now() < untilMs) {
      assert.equal(await connections(node), count);
      await sleep(100);
    }
  };

  it(
    'is one at a time: the next one follows when it ends, dies or freezes, and it does not come back before its turn',
    options,
    async (t) => {
      const first = await startNode();
      const second = await startNode();
      assert.deepEqual([await connections(first), await connections(second)], [2, 1]);

      await first.stop();
      await eventually(() => connections(second), 2);
      const third = await startNode();
      await stays(third, 1);

      const killedMs = performance.now();
      await second.kill();
      await eventually(() => connections(third), 2);
      t.diagnostic(`taken over ${Math.round(performance.now() - killedMs)} ms after the node was killed`);

      const fourth = await startNode();
      process.kill(third.pid, 'SIGSTOP');
      await eventually(() => connections(fourth), 2);
      process.kill(third.pid, 'SIGCONT');
      await stays(third, 1);
      assert.equal(await connections(fourth), 2);
      await Promise.all([third.stop(), fourth.stop()]);
    },
  );

  it('is another one when it does not reach the broker or the database', options, async () => {
    const throughProxy = await brokerProxy.start(broker.url);
    const cut = await startNode({
      GRANARY_BROKER_URL: throughProxy,
      GRANARY_DATABASE_URL: await databaseProxy.start(urlOfDatabase()),
    });
    const other = await startNode();
    assert.equal(await connections(cut), 2);
    brokerProxy.stall();
    await eventually(() => connections(other), 2);
    brokerProxy.resume();
    await stays(cut, 1);
    const moved = await startNode();
    await other.stop();
    await eventually(() => connections(cut), 2);
    databaseProxy.stall();
    await eventually(() => connections(moved), 2);
    await eventually(() => connections(cut), 1);
    databaseProxy.resume();
    await stays(cut, 1);
    await Promise.all([cut.stop(), moved.stop()]);
  });

  it('opens its own port before it connects to the broker', options, async () => {
    const running = await startNode();
    let attempts = 0;
    const counter = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(counter, 'listening');
    const address = counter.address();
    assert(address !== null && typeof address === 'object');
    const refused = startNode({
      GRANARY_HTTP_PORT: new URL(running.httpUrl).port,
      GRANARY_BROKER_URL: `mqtt://127.0.0.1:${address.port}`,
    });
    await assert.rejects(refused, /GRANARY_HTTP_PORT .*that port is in use already/);
    assert.equal(attempts, 0);
    counter.close();
    await running.stop();
  });
});
