import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describePostgres } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';

const EMBEDDED = { GRANARY_TEST_BROKER: 'embedded' };
const REFUSED = /uses this database with an .* broker.*set GRANARY_BROKER_URL.*or stop the other node/;
/** This is longer than a silent node counts as live. */
const AWAY_MS = 6_000;

const deviceLinkOf = async ({ httpUrl }: NodeProcess): Promise<string> => {
  const answer = await fetch(`${httpUrl}/readyz`);
  const { checks } = JSON.parse(await answer.text());
  return `${answer.status} ${checks.device_link}`;
};

describePostgres('a node with an embedded broker', (engine) => {
  const start = nodeProcesses(engine);
  const nodeRows = async () => (await engine.query('SELECT count(*) FROM nodes'))[0]?.[0];

  it('is refused beside any other node, and any other node beside it', async () => {
    const first = await start(EMBEDDED);
    await assert.rejects(start(EMBEDDED), REFUSED);
    await assert.rejects(start(), REFUSED);
    assert.equal(await deviceLinkOf(first), '200 ok');
    await first.stop();
    assert.equal(await nodeRows(), 0);
    const external = await start();
    await assert.rejects(start(EMBEDDED), REFUSED);
    const second = await start();
    assert.equal(await nodeRows(), 2);
    for (const { httpUrl } of [external, second]) {
      const metric = async () =>
        (await (await fetch(`${httpUrl}/metrics`)).text()).match(/^granary_nodes (\d+)/m)?.[1];
      await eventually(metric, '2');
    }
    await Promise.all([external.stop(), second.stop()]);
  });

  it('follows one that crashed, with the same folder and with another', async () => {
    const first = await start(EMBEDDED);
    await first.kill();
    const again = await start({ ...EMBEDDED, GRANARY_DATA_DIR: first.dataDir });
    assert.equal(await nodeRows(), 1);
    await again.kill();
    const elsewhere = await start(EMBEDDED);
    await elsewhere.stop();
  });

  it('says so, and goes on, when another took its place while it was frozen', async () => {
    const frozen = await start(EMBEDDED);
    process.kill(frozen.pid, 'SIGSTOP');
    await sleep(AWAY_MS);
    const successor = await start(EMBEDDED);
    process.kill(frozen.pid, 'SIGCONT');
    const isRefused = async () => /^503 node .* uses this database/.test(await deviceLinkOf(frozen));
    await eventually(isRefused, true);
    assert.equal(await deviceLinkOf(successor), '200 ok');
    assert.equal((await frozen.api.get('/v1/keys')).status, 200);
    await successor.stop();
    await eventually(() => deviceLinkOf(frozen), '200 ok');
    await frozen.stop();
  });
});
