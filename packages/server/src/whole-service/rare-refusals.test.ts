import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import { SECOND_MS } from '@granary/contract/time';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { changeRows } from '@granary/testing/app/change-rows';
import { holdStorage } from '@granary/testing/app/held-storage';
import { makeSmallDisk } from '@granary/testing/app/small-disk';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';
import { noteTouched } from '@granary/testing/server/published/answer-check';
import { describeRequests, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

describeRequests('a row that cannot be read', (api, location) => {
  test('is answered with internal_error, which names the request and nothing else', async () => {
    await api.post(SILOS, siloNamed('unreadable'));
    await changeRows(location(), "UPDATE configurations SET body = '{'");
    const answer = await api.get(`${SILOS}/unreadable/config`, { 'x-request-id': 'unreadable-1' });
    assert.deepEqual([answer.status, answer.body.error.code], [500, 'internal_error']);
    assert.equal(answer.body.error.request_id, 'unreadable-1');
    assert.doesNotMatch(answer.text, /JSON|SELECT|configurations/);
  });
});

let aheadMs = 0;

describeRequests(
  'a start that is stored after its expiry',
  (api, location) => {
    test('is refused with start_expired, and is not sent', async () => {
      const silo = await startSilo(api, 'expired');
      const release = await holdStorage(location());
      const starting = api.post(`${silo.path}/operations/feed`, { amount: 100, rate: 50 });
      // This is long enough for the request to reach the storage.
      await sleep(300);
      aheadMs += 11 * SECOND_MS;
      await release();
      const answer = await starting;
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'start_expired']);
      const [failed] = (await api.get(`${silo.path}/operations`)).body.data;
      assert.deepEqual([failed.status, failed.failure.reason], ['failed', 'not_sent']);
      assert.equal(silo.commands.length, 0);
      await silo.leave();
    });
  },
  {},
  { now: () => Date.now() + aheadMs },
);

const READINGS_PER_REQUEST = 1_000;
/** This many requests have more readings than may wait. */
const REQUESTS = 80;
/** A batch has few readings of one device, and all must be written before the requests end. */
const BUSY_SILOS = 20;

describeRequests('more readings than can be written', (api, location) => {
  test('are refused with ingest_busy, and accepted again later', async () => {
    const pathOf = (request: number) => `${SILOS}/busy-${request % BUSY_SILOS}/telemetry`;
    for (let n = 0; n < BUSY_SILOS; n++) await api.post(SILOS, siloNamed(`busy-${n}`));
    const nowMs = Date.now();
    const readings = Array.from({ length: READINGS_PER_REQUEST }, (_, n) => ({ ts: nowMs - n, weight: 1 }));
    const release = await holdStorage(location(), 'readings IN EXCLUSIVE MODE');
    const sending = Array.from({ length: REQUESTS }, (_, n) => api.post(pathOf(n), readings));
    // Only a refusal is answered while nothing can be written.
    await Promise.race(sending);
    await release();
    const answers = await Promise.all(sending);
    const codes = answers.map(({ status, body }) => (status === 200 ? 'stored' : body.error.code));
    assert.ok(codes.includes('ingest_busy'), String(codes));
    // On a slow machine a write that waited for the held storage may reach its time limit.
    const others = codes.filter((code) => !['ingest_busy', 'stored', 'storage_unavailable'].includes(code));
    assert.deepEqual(others, []);
    const status = async () => (await api.post(pathOf(0), readings)).status;
    await eventually(status, 200);
  });
});

describeRequests('more webhooks and notification rules than the service accepts', (api) => {
  const webhook = { url: 'https://receiver.example.com/', enabled: false };

  const createUntilRefused = async (path: string, body: object): Promise<[number, string]> => {
    for (let created = 0; ; created++) {
      const answer = await api.post(path, body);
      if (answer.status !== 200) return [created, answer.body.error.code];
    }
  };

  test('are refused', async () => {
    const { body } = await api.post('/v1/webhooks', webhook);
    const webhooks = await createUntilRefused('/v1/webhooks', webhook);
    assert.deepEqual(webhooks, [WEBHOOKS_MAX - 1, 'webhook_limit_reached']);
    const rule = { name: 'all', targets: [{ webhook_id: body.data.webhook_id }] };
    const rules = await createUntilRefused('/v1/notification-rules', rule);
    assert.deepEqual(rules, [NOTIFICATION_RULES_MAX, 'notification_rule_limit_reached']);
  });
});

describe('a service whose disk is full', () => {
  const disk = makeSmallDisk();
  const { api } = localService({ dataDir: disk.folder });
  after(() => disk.remove());

  test('refuses changes, shows what is stored, and accepts changes when there is space', async () => {
    assert.equal((await api.post(SILOS, siloNamed('before'))).status, 200);
    disk.fill();
    const refused = await until(async (n) => await api.post(SILOS, siloNamed(`full-${n}`)));
    assert.deepEqual([refused.status, refused.body.error.code], [503, disk.refusal]);
    // Without the permission to mount a disk only the other code can be produced.
    if (disk.refusal !== 'storage_full') noteTouched(null, 503, 'storage_full');
    assert.equal((await api.get(`${SILOS}/before`)).status, 200);
    disk.freeSpace();
    assert.equal((await api.post(SILOS, siloNamed('afterwards'))).status, 200);
  });

  /** Repeats requests until one is refused, because the files of the database have some space left in them. */
  async function until(send: (n: number) => ReturnType<typeof api.post>) {
    for (let n = 0; ; n++) {
      const answer = await send(n);
      if (answer.status !== 200) return answer;
    }
  }
});
