import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, SECOND_MS } from '@granary/contract/time';
import type { AttemptOutcome } from '@granary/core/webhooks/attempts';
import type { StoredWebhook } from '@granary/core/webhooks/webhook';
import { describeEachEngine } from '@granary/testing/app/engines';
import { isRefusal, NOW_MS, newDevice, newId } from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';
import type { NewStoredWebhook } from './webhook-rows.ts';

const SCHEDULE = { delaysMs: [SECOND_MS, SECOND_MS] };
const LEASE_MS = 30 * SECOND_MS;
const answered = (status: number): AttemptOutcome => ({ kind: 'answered', status, retryAfterMs: null });

describeEachEngine('webhooks', (engine) => {
  let app: App;
  let twin: App;

  before(async () => {
    app = await engine.open();
    twin = engine.name === 'postgres' ? await engine.open() : app;
  });

  function create(fields: Partial<NewStoredWebhook> = {}): Promise<StoredWebhook> {
    return app.webhooks.create({
      webhookId: newId('wh'),
      url: 'https://example.com/',
      description: null,
      enabled: true,
      eventTypes: ['device.registered'],
      deviceIds: null,
      facilities: null,
      severities: null,
      secret: 'whsec_b25l',
      createdAtMs: NOW_MS,
      ...fields,
    });
  }

  /** Logs an event and returns its number. */
  async function logEvent(facility = 'North'): Promise<number> {
    await app.devices.register(newDevice({ facility }));
    return (await app.events.bounds()).newest;
  }

  async function distributeAll(on: App = app): Promise<void> {
    for (let advanced = 1; advanced > 0; ) {
      advanced = 0;
      for (const position of await on.webhooks.positionsBehind()) {
        advanced += await on.webhooks.distribute({ position, nowMs: NOW_MS });
      }
    }
  }

  const take = (webhookNo: number, nowMs = NOW_MS, limit = 10, on: App = app) =>
    on.webhooks.take({ webhookNo, limit, nowMs, leasedUntilMs: nowMs + LEASE_MS });

  async function takeOne(webhookNo: number, nowMs = NOW_MS) {
    const [delivery] = (await take(webhookNo, nowMs, 1))?.deliveries ?? [];
    assert.ok(delivery !== undefined);
    return delivery;
  }

  const record = (webhookNo: number, deliveryNo: number, outcome: AttemptOutcome, nowMs = NOW_MS) =>
    app.webhooks.record({ webhookNo, deliveryNo, outcome, nowMs, random: 0.5, schedule: SCHEDULE });

  const list = (webhookNo: number, status: 'pending' | 'delivered' | 'dead' | null = null) =>
    app.webhooks.deliveries({ webhookNo, status, beforeDeliveryNo: null, limit: 100 });

  const messageIds = async (webhookNo: number) =>
    (await list(webhookNo)).map(({ messageId }) => messageId).toReversed();

  async function eventTypesAfter(sequence: number): Promise<string[]> {
    return (await app.events.after({ sequence, limit: 100 })).map(({ type }) => type);
  }

  describe('get each event once', () => {
    it('that was logged after their creation and matches', async () => {
      await logEvent();
      const { webhookNo } = await create({ facilities: ['North'] });
      const first = await logEvent();
      await logEvent('South');
      const second = await logEvent();
      await distributeAll();
      await distributeAll();
      assert.deepEqual(await messageIds(webhookNo), [`evt_${first}`, `evt_${second}`]);
    });

    it('also when two nodes distribute at the same time', async () => {
      const { webhookNo } = await create();
      const numbers: number[] = [];
      for (let i = 0; i < 5; i++) numbers.push(await logEvent());
      await Promise.all([distributeAll(), distributeAll(twin), distributeAll(), distributeAll(twin)]);
      assert.deepEqual(
        await messageIds(webhookNo),
        numbers.map((number) => `evt_${number}`),
      );
    });

    it('and a webhook that was disabled gets the missed ones, unless they are skipped', async () => {
      const [kept, skipped] = [await create(), await create()];
      for (const { webhookId } of [kept, skipped]) {
        await app.webhooks.update(webhookId, { enabled: false }, NOW_MS);
      }
      const missed = await logEvent();
      await distributeAll();
      assert.deepEqual(await messageIds(kept.webhookNo), []);
      await app.webhooks.enable(kept.webhookId, { skipMissed: false, nowMs: NOW_MS });
      await app.webhooks.enable(skipped.webhookId, { skipMissed: true, nowMs: NOW_MS });
      const next = await logEvent();
      await distributeAll();
      assert.deepEqual(await messageIds(kept.webhookNo), [`evt_${missed}`, `evt_${next}`]);
      assert.deepEqual(await messageIds(skipped.webhookNo), [`evt_${next}`]);
    });
  });

  describe('take deliveries', () => {
    it('with the event and the secrets, which overlap after a rotation', async () => {
      const { webhookNo, webhookId } = await create();
      const sequence = await logEvent();
      await distributeAll();
      const times = { previousUntilMs: NOW_MS + HOUR_MS, nowMs: NOW_MS };
      await app.webhooks.rotateSecret(webhookId, 'whsec_dHdv', times);
      const taken = await take(webhookNo);
      assert.deepEqual(taken?.secrets, ['whsec_dHdv', 'whsec_b25l']);
      assert.equal(taken?.url, 'https://example.com/');
      const [delivery] = taken?.deliveries ?? [];
      assert.equal(delivery?.event?.sequence, sequence);
      assert.equal(delivery?.messageId, `evt_${sequence}`);
      const later = await take(webhookNo, NOW_MS + HOUR_MS);
      assert.deepEqual(later?.secrets, ['whsec_dHdv']);
    });

    it('that nobody else takes before the end of the lease', async () => {
      const { webhookNo } = await create();
      for (let i = 0; i < 6; i++) await logEvent();
      await distributeAll();
      const both = await Promise.all([take(webhookNo, NOW_MS, 3), take(webhookNo, NOW_MS, 3, twin)]);
      const numbers = both.flatMap((one) => one?.deliveries ?? []).map(({ deliveryNo }) => deliveryNo);
      assert.equal(new Set(numbers).size, numbers.length);
      await take(webhookNo, NOW_MS, 6);
      assert.equal(await take(webhookNo, NOW_MS + LEASE_MS - 1), null);
      assert.equal((await take(webhookNo, NOW_MS + LEASE_MS))?.deliveries.length, 6);
    });

    it('that stay with the sender that renews its lease, until it has lost it', async () => {
      const { webhookNo } = await create();
      await logEvent();
      await distributeAll();
      const deliveryNo = (await take(webhookNo))?.deliveries[0]?.deliveryNo ?? 0;
      const renew = (fromMs: number, toMs: number) => twin.webhooks.renew({ deliveryNo, fromMs, toMs });
      assert.equal(await renew(NOW_MS + LEASE_MS, NOW_MS + 2 * LEASE_MS), true);
      assert.equal(await renew(NOW_MS + LEASE_MS, NOW_MS + 3 * LEASE_MS), false);
      assert.equal(await take(webhookNo, NOW_MS + 2 * LEASE_MS - 1), null);
      await record(webhookNo, deliveryNo, answered(204));
      assert.equal(await renew(NOW_MS + 2 * LEASE_MS, NOW_MS + 3 * LEASE_MS), false);
    });

    it('first attempts and repeated ones in turns', async () => {
      const { webhookNo } = await create();
      for (let i = 0; i < 4; i++) await logEvent();
      await distributeAll();
      const failed = (await take(webhookNo))?.deliveries ?? [];
      for (const { deliveryNo } of failed) await record(webhookNo, deliveryNo, answered(500));
      const next = await logEvent();
      await distributeAll();
      const taken = (await take(webhookNo, NOW_MS + HOUR_MS, 2))?.deliveries ?? [];
      assert.deepEqual(
        taken.map(({ messageId, attempts }) => [messageId, attempts]),
        [
          [`evt_${next}`, 0],
          [failed[0]?.messageId, 1],
        ],
      );
    });

    it('of enabled webhooks only', async () => {
      const { webhookNo, webhookId } = await create();
      await logEvent();
      await distributeAll();
      assert.ok((await app.webhooks.due(NOW_MS)).includes(webhookNo));
      await app.webhooks.update(webhookId, { enabled: false }, NOW_MS);
      assert.equal((await app.webhooks.due(NOW_MS)).includes(webhookNo), false);
      assert.equal(await take(webhookNo), null);
    });

    it('after events that the retention has removed', async () => {
      const { webhookNo } = await create();
      const sequence = await logEvent();
      await engine.query(`DELETE FROM events WHERE sequence <= ${sequence}`);
      await distributeAll();
      assert.deepEqual(await app.webhooks.positionsBehind(), []);
      const next = await logEvent();
      await distributeAll();
      assert.deepEqual(await messageIds(webhookNo), [`evt_${next}`]);
    });

    it('whose event was removed, without it', async () => {
      const { webhookNo } = await create();
      const sequence = await logEvent();
      await distributeAll();
      await engine.query(`DELETE FROM events WHERE sequence = ${sequence}`);
      const { event, body, deliveryNo } = await takeOne(webhookNo);
      assert.deepEqual([event, body], [null, null]);
      await record(webhookNo, deliveryNo, { kind: 'not_sent', error: 'the event is no longer stored' });
      assert.equal((await list(webhookNo, 'dead')).length, 1);
    });
  });

  describe('record attempts', () => {
    it('until a delivery is delivered', async () => {
      const { webhookNo, webhookId } = await create();
      await logEvent();
      await distributeAll();
      const { deliveryNo } = await takeOne(webhookNo);
      await record(webhookNo, deliveryNo, answered(500));
      assert.equal((await app.webhooks.find(webhookId))?.failingSinceMs, NOW_MS);
      const [pending] = await list(webhookNo, 'pending');
      assert.deepEqual(
        [pending?.attempts, pending?.lastStatus, pending?.nextAttemptAtMs],
        [1, 500, NOW_MS + SECOND_MS],
      );
      assert.equal(await take(webhookNo), null);
      await takeOne(webhookNo, NOW_MS + SECOND_MS);
      await record(webhookNo, deliveryNo, answered(204));
      const [delivered] = await list(webhookNo, 'delivered');
      assert.deepEqual(
        [delivered?.attempts, delivered?.finishedAtMs, delivered?.lastError],
        [2, NOW_MS, null],
      );
      assert.equal((await app.webhooks.find(webhookId))?.failingSinceMs, null);
    });

    it('until a delivery is dead, which is an event once an hour', async () => {
      const { webhookNo } = await create();
      for (let i = 0; i < 2; i++) await logEvent();
      await distributeAll();
      const { newest } = await app.events.bounds();
      for (const { deliveryNo } of (await take(webhookNo))?.deliveries ?? []) {
        for (let attempt = 0; attempt < 3; attempt++) await record(webhookNo, deliveryNo, answered(500));
      }
      assert.equal((await list(webhookNo, 'dead')).length, 2);
      assert.deepEqual(await eventTypesAfter(newest), ['webhook.delivery_dead']);
    });

    it('and a receiver that is gone disables its webhook', async () => {
      const { webhookNo, webhookId } = await create();
      await logEvent();
      await distributeAll();
      const { newest } = await app.events.bounds();
      await record(webhookNo, (await takeOne(webhookNo)).deliveryNo, answered(410));
      const webhook = await app.webhooks.find(webhookId);
      assert.equal(webhook?.enabled, false);
      assert.match(webhook?.disabledReason ?? '', /410/);
      assert.deepEqual(await eventTypesAfter(newest), ['webhook.disabled']);
      await app.webhooks.enable(webhookId, { skipMissed: false, nowMs: NOW_MS });
      await record(webhookNo, (await takeOne(webhookNo)).deliveryNo, answered(200));
      assert.equal((await list(webhookNo, 'delivered')).length, 1);
    });

    it('but not of a delivery that another node has finished', async () => {
      const { webhookNo } = await create();
      await logEvent();
      await distributeAll();
      const { deliveryNo } = await takeOne(webhookNo);
      await record(webhookNo, deliveryNo, answered(200));
      await record(webhookNo, deliveryNo, answered(500));
      const [only] = await list(webhookNo);
      assert.deepEqual([only?.status, only?.attempts], ['delivered', 1]);
    });
  });

  describe('are replayed', () => {
    it('from an event on, with the same message ids', async () => {
      const { webhookNo, webhookId } = await create();
      const numbers = [await logEvent(), await logEvent(), await logEvent()];
      await distributeAll();
      for (const { deliveryNo } of (await take(webhookNo))?.deliveries ?? []) {
        await record(webhookNo, deliveryNo, answered(200));
      }
      const from = numbers[1] ?? 0;
      const { events, deliveries } = await app.webhooks.replay(webhookId, { from_event: from }, NOW_MS);
      assert.deepEqual([events, deliveries], [(numbers[2] ?? 0) - from + 1, 0]);
      await distributeAll();
      const taken = (await take(webhookNo))?.deliveries.map(({ messageId, attempts }) => [
        messageId,
        attempts,
      ]);
      assert.deepEqual(taken, [
        [`evt_${numbers[1]}`, 0],
        [`evt_${numbers[2]}`, 0],
      ]);
      assert.equal((await list(webhookNo)).length, 3);
    });

    it('from a stored event only, and never past what waits', async () => {
      const { webhookNo, webhookId } = await create();
      const [first, second] = [await logEvent(), await logEvent()];
      for (const from of [0, second + 1]) {
        await assert.rejects(
          app.webhooks.replay(webhookId, { from_event: from }, NOW_MS),
          isRefusal('invalid_input'),
        );
      }
      await app.webhooks.replay(webhookId, { from_event: second }, NOW_MS);
      await distributeAll();
      assert.deepEqual(await messageIds(webhookNo), [`evt_${first}`, `evt_${second}`]);
    });

    it('if they are dead, but not tests, which are not reported as dead either', async () => {
      const { webhookNo, webhookId } = await create();
      await app.webhooks.test(webhookId, newId('test'), NOW_MS);
      const { newest } = await app.events.bounds();
      await record(webhookNo, (await takeOne(webhookNo)).deliveryNo, answered(500));
      assert.equal((await list(webhookNo, 'dead')).length, 1);
      assert.deepEqual(await eventTypesAfter(newest), []);
      assert.equal((await app.webhooks.replay(webhookId, { dead: true }, NOW_MS)).deliveries, 0);
    });

    it('if they are dead', async () => {
      const { webhookNo, webhookId } = await create();
      await logEvent();
      await distributeAll();
      const { deliveryNo } = await takeOne(webhookNo);
      for (let attempt = 0; attempt < 3; attempt++) await record(webhookNo, deliveryNo, answered(500));
      assert.equal((await app.webhooks.replay(webhookId, { dead: true }, NOW_MS)).deliveries, 1);
      assert.equal((await takeOne(webhookNo)).attempts, 0);
    });
  });

  it('removed, are not found, and their deliveries are removed in steps', async () => {
    const { webhookNo, webhookId } = await create();
    for (let i = 0; i < 3; i++) await logEvent();
    await distributeAll();
    await app.webhooks.remove(webhookId, NOW_MS);
    assert.equal(await app.webhooks.find(webhookId), undefined);
    await assert.rejects(app.webhooks.remove(webhookId, NOW_MS), isRefusal('webhook_not_found'));
    assert.equal((await app.webhooks.due(NOW_MS)).includes(webhookNo), false);
    const expiry = { deliveredBeforeMs: 0, deadBeforeMs: 0, rowsMax: 2 };
    for (let removed = 1; removed > 0; ) removed = await app.webhooks.expire(expiry);
    assert.deepEqual(await list(webhookNo), []);
    const [row] = await engine.query(`SELECT secret FROM webhooks WHERE webhook_no = ${webhookNo}`);
    assert.deepEqual(row, ['']);
  });

  it('keep delivered and dead deliveries for a while', async () => {
    const { webhookNo } = await create();
    for (let i = 0; i < 2; i++) await logEvent();
    await distributeAll();
    const [first, second] = (await take(webhookNo))?.deliveries ?? [];
    assert.ok(first !== undefined && second !== undefined);
    await record(webhookNo, first.deliveryNo, answered(200));
    for (let attempt = 0; attempt < 3; attempt++) await record(webhookNo, second.deliveryNo, answered(500));
    const statuses = async () => (await list(webhookNo)).map(({ status }) => status).toSorted();
    const expire = (deliveredBeforeMs: number, deadBeforeMs: number) =>
      app.webhooks.expire({ deliveredBeforeMs, deadBeforeMs, rowsMax: 100 });
    await expire(NOW_MS, NOW_MS);
    assert.deepEqual(await statuses(), ['dead', 'delivered']);
    await expire(NOW_MS + 1, NOW_MS);
    assert.deepEqual(await statuses(), ['dead']);
    await expire(NOW_MS + DAY_MS, NOW_MS + 1);
    assert.deepEqual(await statuses(), []);
  });

  it('are limited in number', async () => {
    const count = (await app.webhooks.list({ afterWebhookId: null, limit: 100 })).length;
    for (let number = count; number < 50; number++) await create();
    await assert.rejects(create(), isRefusal('webhook_limit_reached'));
  });
});
