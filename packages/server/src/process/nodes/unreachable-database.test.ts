import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { describePostgres } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { siloNamed } from '@granary/testing/server/service';
import { StallingProxy } from '@granary/testing/server/stalling-proxy';

const DEVICES = '/v1/siloscale/devices';
/** The limit is five seconds and the time that a busy machine needs to notice them. */
const ANSWER_MS_MAX = 6_500;

describePostgres('a node that cannot reach the database', (engine) => {
  const start = nodeProcesses(engine);
  let proxy: StallingProxy;
  let cut: NodeProcess;
  let other: NodeProcess;
  before(async () => {
    assert(engine.location.engine === 'postgres');
    const { url } = engine.location;
    proxy = new StallingProxy(url);
    cut = await start({ GRANARY_DATABASE_URL: await proxy.start(url) });
    other = await start();
  });
  after(() => proxy.stop());

  const liveNodes = async ({ httpUrl }: NodeProcess) =>
    (await (await fetch(`${httpUrl}/metrics`)).text()).match(/^granary_nodes (\d+)/m)?.[1];
  const readiness = async ({ httpUrl }: NodeProcess) => (await fetch(`${httpUrl}/readyz`)).status;

  it('refuses within five seconds, is missed by the others, and comes back by itself', async () => {
    await eventually(() => liveNodes(other), '2');
    proxy.stall();
    for (const request of [
      () => cut.api.get(DEVICES),
      () => cut.api.post(DEVICES, siloNamed('silo-1')),
      () => cut.api.get('/v1/alerts'),
    ]) {
      const beganMs = performance.now();
      const answer = await request();
      assert.equal(answer.status, 503, answer.text);
      assert(performance.now() - beganMs < ANSWER_MS_MAX, `${performance.now() - beganMs} ms`);
    }
    assert.equal(await readiness(cut), 503);
    assert.equal((await other.api.post(DEVICES, siloNamed('silo-2'))).status, 200);
    await eventually(() => liveNodes(other), '1');
    proxy.resume();
    await eventually(() => readiness(cut), 200);
    await eventually(async () => (await cut.api.get(`${DEVICES}/silo-2`)).status, 200);
    await eventually(() => liveNodes(other), '2');
    await eventually(() => liveNodes(cut), '2');
  });
});
