import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { ruleContent } from '@granary/core/notifications/rule';
import { describeEachEngine } from '@granary/testing/app/engines';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { createLogger } from '../../process/logging/logger.ts';
import { Mailer } from './mailer.ts';
import { byMail, NotificationSender } from './sender.ts';

const FROM = { name: '', address: 'granary@farm.example' };
const smtpAt = (port: number) => ({
  host: '127.0.0.1',
  port,
  isTls: false,
  isTlsRequired: false,
  user: null,
  password: null,
});

describeEachEngine('notification sender', (engine) => {
  let app: App;
  let ruleId = '';
  const undos: (() => Promise<unknown>)[] = [];
  const aheadMs = { value: 0 };
  const now = () => Date.now() + aheadMs.value;
  before(async () => {
    app = await engine.open();
  });
  after(async () => {
    for (const undo of undos.reverse()) await undo();
  });

  /** Writes a test message for each of this many people. */
  async function write(people: number): Promise<void> {
    ruleId = `nr_${crypto.randomUUID()}`;
    const targets = Array.from({ length: people }, (_, i) => ({ email: `person-${i}@example.com` }));
    const content = ruleContent({ name: 'Shift', targets });
    await app.notifications.createRule({ ruleId, content, canSendMail: true, nowMs: now() });
    await app.notifications.test({
      ruleId,
      canSendMail: true,
      consoleUrl: null,
      timeZone: 'UTC',
      nowMs: now(),
    });
  }

  function senderTo(port: number, node: Pick<App, 'notifications'> = app): NotificationSender {
    const sender = new NotificationSender({
      app: node,
      way: byMail(new Mailer(smtpAt(port), FROM)),
      urgency: 'other',
      logger: createLogger('silent'),
      now,
    });
    undos.push(() => sender.stop());
    sender.start();
    return sender;
  }

  const shown = async (status: 'sent' | 'pending') =>
    (await app.notifications.list({ status, ruleId, beforeId: null, limit: 100 })).length;

  it('two nodes send each message once', async () => {
    const mail = await new MailServer().start();
    undos.push(() => mail.stop());
    await write(20);
    const senders = [senderTo(mail.port), senderTo(mail.port, await engine.open())];
    await eventually(() => shown('sent'), 20);
    assert.equal(new Set(mail.received.flatMap(({ to }) => to)).size, 20);
    assert.equal(mail.received.length, 20);
    await Promise.all(senders.map((sender) => sender.stop()));
  });

  it('stops while a mail server hangs, and sends the message later', async () => {
    let connections = 0;
    const hanging = createServer(() => connections++);
    hanging.listen(0, '127.0.0.1');
    await once(hanging, 'listening');
    undos.push(async () => hanging.close());
    await write(1);
    const sender = senderTo((hanging.address() as AddressInfo).port);
    await eventually(async () => connections, 1);
    await sender.stop();
    assert.equal(await shown('pending'), 1);
    aheadMs.value += 10 * 60_000;
    const mail = await new MailServer().start();
    undos.push(() => mail.stop());
    const next = senderTo(mail.port);
    await eventually(() => shown('sent'), 1);
    await next.stop();
  });

  it('without a mail server the message waits and says why', async () => {
    await write(1);
    const sender = new NotificationSender({
      app,
      way: byMail(null),
      urgency: 'other',
      logger: createLogger('silent'),
      now,
    });
    sender.start();
    const error = async () =>
      (await app.notifications.list({ status: 'pending', ruleId, beforeId: null, limit: 1 }))[0]?.lastError;
    await eventually(error, 'GRANARY_SMTP_URL is not set');
    await sender.stop();
  });
});
