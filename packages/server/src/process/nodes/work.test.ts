import assert from 'node:assert/strict';
import { after, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '@granary/contract/time';
import { describePostgres } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { type NodeProcess, nodeProcesses } from '@granary/testing/server/node-processes';
import { siloNamed } from '@granary/testing/server/service';
import { WebhookReceiver } from '@granary/testing/server/webhooks/receiver';
import type { WebhookOptions } from '../../background/webhooks/worker.ts';

const DEVICES = '/v1/siloscale/devices';
const SILOS = 6;
/** This is longer than a lease. */
const A_LEASE_MS = 9_000;
/** Another node continues after ten seconds, or later on a busy machine. An attempt may take far longer than this limit. */
const TAKEN_OVER_MS_MAX = 25_000;
const SETTLED_MS = 2_500;
const [FULL, LOW] = [500, 150];

interface HangingWork {
  readonly env: Readonly<Record<string, string>>;
  readonly begin: (node: NodeProcess) => Promise<void>;
  /** The number of attempts that were begun. */
  readonly count: () => number;
}

describePostgres('two nodes with the same due work', (engine) => {
  const start = nodeProcesses(engine);
  const undos: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  async function mailServer(options: ConstructorParameters<typeof MailServer>[0] = {}) {
    const mail = await new MailServer(options).start();
    undos.push(() => mail.stop());
    return mail;
  }

  async function receiver(): Promise<WebhookReceiver> {
    const webhooks = new WebhookReceiver();
    await webhooks.start();
    undos.push(() => webhooks.stop());
    return webhooks;
  }

  const settingsFor = ({ url }: MailServer) => ({
    GRANARY_SMTP_URL: url,
    GRANARY_MAIL_FROM: 'granary@farm.example',
    GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on',
  });

  async function weigh({ api }: Pick<NodeProcess, 'api'>, deviceId: string, weight: number): Promise<void> {
    const answer = await api.post(`${DEVICES}/${deviceId}/telemetry`, { ts: Date.now(), weight });
    assert.equal(answer.status, 200, answer.text);
  }

  const RULE = {
    name: 'Shift',
    match: { types: ['low_level'] },
    targets: [{ email: 'shift@example.com' }],
    summary: { at_once_max: SILOS },
  };

  it('raise each alert, send each notification and make each delivery once', async () => {
    const mail = await mailServer();
    const webhooks = await receiver();
    const nodes = [await start(settingsFor(mail)), await start(settingsFor(mail))] as const;
    const [first] = nodes;
    const rule = (await first.api.post('/v1/notification-rules', RULE)).body.data;
    const hook = { url: webhooks.url, event_types: ['alert.raised'] };
    assert.equal((await first.api.post('/v1/webhooks', hook)).status, 200);
    const silos = Array.from({ length: SILOS }, (_, n) => `silo-${n}`);
    for (const silo of silos) assert.equal((await first.api.post(DEVICES, siloNamed(silo))).status, 200);
    for (const weight of [FULL, LOW]) {
      await Promise.all(silos.flatMap((silo) => nodes.map((node) => weigh(node, silo, weight))));
    }
    await eventually(async () => mail.received.length, SILOS);
    await eventually(async () => new Set(webhooks.ids).size, SILOS);
    await sleep(SETTLED_MS);
    assert.equal(mail.received.length, SILOS);
    assert.equal(webhooks.messages.length, SILOS);
    for (const silo of silos) {
      const { data } = (await first.api.get(`${DEVICES}/${silo}/alerts?status=all`)).body;
      assert.equal(data.filter(({ type }: { type: string }) => type === 'low_level').length, 1);
    }
    await first.api.delete(`/v1/notification-rules/${rule.rule_id}`);
    await Promise.all(nodes.map((node) => node.stop()));
  });

  /** One node hangs in its work, a second one starts, and the first one is killed. */
  async function takeOver(t: TestContext, work: HangingWork): Promise<void> {
    const { env, begin, count } = work;
    const first = await start(env);
    // A node that is left over would do the work of the next test.
    t.after(() => first.kill());
    await begin(first);
    await eventually(async () => count(), 1);
    const second = await start(env);
    t.after(() => second.kill());
    await sleep(A_LEASE_MS);
    assert.equal(count(), 1, 'a node that still works keeps its work');
    await first.kill();
    const killedMs = performance.now();
    await eventually(async () => count(), 2);
    const tookMs = performance.now() - killedMs;
    t.diagnostic(`taken over after ${Math.round(tookMs)} ms`);
    assert(tookMs < TAKEN_OVER_MS_MAX, `${tookMs} ms`);
  }

  it('one goes on with a delivery when the other, which was sending it, has crashed', async (t) => {
    const webhooks = await receiver();
    webhooks.answer = () => undefined;
    const begin = async ({ api }: NodeProcess): Promise<void> => {
      const hook = { url: webhooks.url, event_types: ['key.issued'] };
      assert.equal((await api.post('/v1/webhooks', hook)).status, 200);
      assert.equal((await api.post('/v1/keys', { name: 'new', scopes: ['read'] })).status, 200);
    };
    // The start of the second node on a busy machine takes as long as an attempt usually may, so attempts may take longer here.
    const options: WebhookOptions = { attemptMs: MINUTE_MS };
    const env = {
      GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on',
      GRANARY_TEST_WEBHOOKS: JSON.stringify(options),
    };
    await takeOver(t, { env, begin, count: () => webhooks.messages.length });
  });

  it('one goes on with a notification when the other, which was sending it, has crashed', async (t) => {
    let attempts = 0;
    const mail = await mailServer({ onRcptTo: () => void attempts++ });
    const begin = async ({ api }: NodeProcess): Promise<void> => {
      assert.equal((await api.post('/v1/notification-rules', { ...RULE, name: 'Night' })).status, 200);
      assert.equal((await api.post(DEVICES, siloNamed('late'))).status, 200);
      for (const weight of [FULL, LOW]) await weigh({ api }, 'late', weight);
    };
    await takeOver(t, { env: settingsFor(mail), begin, count: () => attempts });
  });
});
