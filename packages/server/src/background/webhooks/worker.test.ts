import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { describeEachEngine, type TestEngine } from '@granary/testing/app/engines';
import { NOW_MS, newDevice, newId } from '@granary/testing/app/fixtures';
import { eventually } from '@granary/testing/server/eventually';
import { type Answer, WebhookReceiver } from '@granary/testing/server/webhooks/receiver';
import { pino } from 'pino';
import { AddressGuard } from './address-guard.ts';
import { newWebhookSecret } from './sender.ts';
import { type WebhookOptions, WebhookWorker } from './worker.ts';

const SILENT = pino({ level: 'silent' });
const ACCEPT: Answer = (response) => response.writeHead(204).end();
const HANG: Answer = () => undefined;

describeEachEngine('workers that send to webhooks', (engine: TestEngine) => {
  let app: App;
  let other: App;
  const undos: (() => Promise<void>)[] = [];

  before(async () => {
    app = await engine.open();
    other = engine.name === 'postgres' ? await engine.open() : app;
  });
  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  async function receive(answer: Answer): Promise<{ receiver: WebhookReceiver; webhookNo: number }> {
    const receiver = new WebhookReceiver();
    receiver.answer = answer;
    const url = await receiver.start();
    undos.push(() => receiver.stop());
    const { webhookNo } = await app.webhooks.create({
      webhookId: newId('wh'),
      url,
      description: null,
      enabled: true,
      secret: newWebhookSecret(),
      eventTypes: ['device.registered'],
      deviceIds: null,
      facilities: null,
      severities: null,
      createdAtMs: NOW_MS,
    });
    return { receiver, webhookNo };
  }

  function work(on: App, options: WebhookOptions = {}): WebhookWorker {
    const addressGuard = new AddressGuard(true);
    const parts = { webhooks: on.webhooks, addressGuard, logger: SILENT, now: Date.now };
    const worker = new WebhookWorker({ ...parts, options });
    worker.start();
    undos.push(() => worker.stop());
    return worker;
  }

  async function logEvents(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await app.devices.register(newDevice());
  }

  it('do not let a receiver that hangs delay another, and stop without waiting for it', async () => {
    const hanging = await receive(HANG);
    const prompt = await receive(ACCEPT);
    const worker = work(app, { attemptMs: 60_000 });
    await logEvents(20);
    worker.wake();
    await eventually(async () => prompt.receiver.messages.length, 20);
    assert.equal(hanging.receiver.messages.length, 8);
    await worker.stop();
    const page = { webhookNo: hanging.webhookNo, status: null, beforeDeliveryNo: null, limit: 100 };
    const left = await app.webhooks.deliveries(page);
    assert.deepEqual(
      [...new Set(left.map(({ status, attempts }) => `${status} ${attempts}`))],
      ['pending 0'],
    );
    // Otherwise the stop of each later worker would wait for it, too.
    hanging.receiver.answer = ACCEPT;
  });

  it('survive a message that cannot be sent, and send the others', async () => {
    const { receiver, webhookNo } = await receive(ACCEPT);
    await logEvents(2);
    for (const position of await app.webhooks.positionsBehind()) {
      await app.webhooks.distribute({ position, nowMs: Date.now() });
    }
    const first = `SELECT MIN(delivery_no) FROM webhook_deliveries WHERE webhook_no = ${webhookNo}`;
    // A header must not contain a line feed.
    await engine.query(
      `UPDATE webhook_deliveries SET message_id = 'a' || CHR(10) || 'b' WHERE delivery_no = (${first})`.replace(
        'CHR',
        engine.name === 'sqlite' ? 'char' : 'CHR',
      ),
    );
    const worker = work(app);
    const failed = async () => {
      const page = { webhookNo, status: 'pending', beforeDeliveryNo: null, limit: 10 } as const;
      return (await app.webhooks.deliveries(page)).map(({ lastError }) => lastError).join();
    };
    await eventually(failed, 'the message could not be sent');
    await eventually(async () => receiver.messages.length, 1);
    await worker.stop();
  });

  it('send each message once if several run at the same time', async () => {
    const { receiver } = await receive(ACCEPT);
    const workers = [work(app), work(other)];
    await logEvents(30);
    for (const worker of workers) worker.wake();
    await eventually(async () => new Set(receiver.ids).size, 30);
    assert.equal(receiver.ids.length, 30);
    for (const worker of workers) await worker.stop();
  });

  it('send again what a worker that crashed had taken, when its lease has ended', async () => {
    const { receiver, webhookNo } = await receive(ACCEPT);
    await logEvents(1);
    for (const position of await app.webhooks.positionsBehind()) {
      await app.webhooks.distribute({ position, nowMs: Date.now() });
    }
    const nowMs = Date.now();
    await app.webhooks.take({ webhookNo, limit: 1, nowMs, leasedUntilMs: nowMs + 1_500 });
    const worker = work(app);
    assert.equal(receiver.messages.length, 0);
    await eventually(async () => receiver.messages.length, 1);
    assert.ok(Date.now() >= nowMs + 1_500);
    await worker.stop();
  });

  it('try a receiver that only fails with one attempt at a time, and all at once when it works again', async () => {
    let isRunning = 0;
    let runningMax = 0;
    const { receiver } = await receive((response) => {
      runningMax = Math.max(runningMax, ++isRunning);
      setTimeout(() => {
        isRunning--;
        response.writeHead(500).end();
      }, 20);
    });
    const worker = work(app, { schedule: { delaysMs: Array(1_000).fill(0) } });
    await logEvents(20);
    worker.wake();
    // The deliveries that were taken before the webhook had failed often enough are still sent together.
    const mostAtOnce = async (): Promise<number> => {
      const received = receiver.messages.length;
      runningMax = 0;
      await eventually(async () => receiver.messages.length >= received + 4, true);
      return runningMax;
    };
    await eventually(mostAtOnce, 1);
    const failed = receiver.messages.length;
    receiver.answer = ACCEPT;
    await eventually(async () => new Set(receiver.ids.slice(failed)).size, 20);
    await worker.stop();
  });
});
