import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { describePostgres } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { TestProvider, Visitor } from '@granary/testing/server/identity-provider';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { cookieOf, signIn } from '@granary/testing/server/people';
import { fieldDeviceNamed } from '@granary/testing/server/service';

/** An end usually takes less than a second, which is printed; on a busy machine it takes at most this time. */
const ENDED_MS_MAX = 5_000;
/** This is half of the time for which a sign-in waits for the provider. */
const STOP_MS_MAX = 5_000;
const TRIES = 3;

describePostgres('single sign-on on two nodes', (engine) => {
  const start = nodeProcesses(engine);
  let provider: TestProvider;
  let nodes: readonly [NodeProcess, NodeProcess];

  before(async () => {
    provider = await TestProvider.start();
    nodes = [await start(provider.settings), await start(provider.settings)];
    provider.serve(nodes[0].httpUrl, nodes[1].httpUrl);
    provider.people.set('ada', { groups: ['operators'] });
    const policy = { groups: [{ group: 'operators', role: 'operator' }] };
    await eventually(async () => (await nodes[0].api.put('/v1/sign-in-policy', policy)).status, 200);
  });
  after(() => provider.stop());

  const own = (node: NodeProcess) => ({ origin: node.httpUrl, 'sec-fetch-site': 'same-origin' });

  async function comeBack(node: NodeProcess, visitor = new Visitor()) {
    const started = await fetch(`${node.httpUrl}/v1/session/oidc/start`, {
      method: 'POST',
      headers: own(node),
    });
    visitor.keep(node.httpUrl, started.headers);
    const { data } = (await started.json()) as { data: { url: string } };
    return { visitor, address: await visitor.signInAt(data.url, 'ada') };
  }

  it('a callback that is replayed on another node gives one session', async () => {
    const [one, other] = nodes;
    const { visitor, address } = await comeBack(one);
    const headers = { cookie: visitor.cookiesFor(one.httpUrl) };
    const elsewhere = address.replace(one.httpUrl, other.httpUrl);
    const answers = await Promise.all([address, elsewhere].map((url) => fetch(url, { headers })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  });

  it('a sign-out at the provider ends an open stream on another node', async (t) => {
    const [one, other] = nodes;
    const took: number[] = [];
    for (let at = 0; at < TRIES; at++) {
      const { visitor, address } = await comeBack(other);
      const finished = await fetch(address, { headers: { cookie: visitor.cookiesFor(other.httpUrl) } });
      assert.equal(finished.status, 200, await finished.clone().text());
      visitor.keep(other.httpUrl, finished.headers);
      const headers = { ...own(other), cookie: visitor.cookiesFor(other.httpUrl) };
      const stream = await fetch(`${other.httpUrl}/v1/events`, {
        headers,
        signal: AbortSignal.timeout(20_000),
      });
      assert.equal(stream.status, 200);
      const reader = stream.body?.getReader();
      await reader?.read();
      // The provider tells the first node only.
      await visitor.signOutAt(provider.issuer);
      const beganAtMs = performance.now();
      while ((await reader?.read())?.done === false);
      took.push(performance.now() - beganAtMs);
      assert.equal((await fetch(`${other.httpUrl}/v1/session`, { headers })).status, 401);
    }
    t.diagnostic(`ended after ${took.map(Math.round).join(', ')} ms`);
    assert.ok(Math.min(...took) < ENDED_MS_MAX, `${took} ms`);
    const [entry] = (await one.api.get('/v1/audit?action=signOn.logout')).body.data;
    assert.deepEqual([entry.result, entry.actor], ['done', null]);
  });

  it('a stop is served while the provider hangs, also of somebody who has signed in with it and of a locked terminal', async () => {
    const [one] = nodes;
    await one.api.post('/v1/fielddevice/devices', fieldDeviceNamed('rover-1'));
    const { visitor, address } = await comeBack(one);
    const finished = await fetch(address, { headers: { cookie: visitor.cookiesFor(one.httpUrl) } });
    visitor.keep(one.httpUrl, finished.headers);
    const enrolled = { name: 'Mill', kind: 'terminal', facilities: ['north'] };
    const { code } = (await one.api.post('/v1/terminals', enrolled)).body.data;
    const terminal = cookieOf(await signIn(one.api, { code }));
    provider.become('hanging');
    // These are as many as may wait for the provider, and more.
    const waiting = Array.from({ length: 150 }, () =>
      fetch(`${one.httpUrl}/v1/session/oidc/start`, { method: 'POST', headers: own(one) }),
    );
    const logouts = Array.from({ length: 50 }, () =>
      fetch(`${one.httpUrl}/v1/session/oidc-logout`, {
        method: 'POST',
        body: new URLSearchParams({ logout_token: 'a.b.c' }),
      }),
    );
    for (const cookie of [visitor.cookiesFor(one.httpUrl), terminal]) {
      const headers = { ...own(one), cookie, 'content-type': 'application/json' };
      const took: number[] = [];
      for (let at = 0; at < 5; at++) {
        const beganAtMs = performance.now();
        const stopped = await fetch(`${one.httpUrl}/v1/fielddevice/devices/rover-1/remote/command`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ command: 'emergency_stop' }),
        });
        took.push(performance.now() - beganAtMs);
        assert.equal(stopped.status, 200, await stopped.text());
      }
      assert.ok(Math.min(...took) < STOP_MS_MAX, `${took} ms`);
    }
    provider.become('working');
    for (const answer of await Promise.all([...waiting, ...logouts])) await answer.body?.cancel();
    await eventually(async () => (await one.api.get('/v1/identity-provider')).body.data.answers, true);
  });
});
