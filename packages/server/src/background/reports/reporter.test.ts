import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { App } from '@granary/app/app';
import { DAY_MS } from '@granary/contract/time';
import { grantOf } from '@granary/core/keys';
import { scheduleContent } from '@granary/core/reports/schedule';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS, registerDevice } from '@granary/testing/app/fixtures';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { createLogger } from '../../process/logging/logger.ts';
import { asSmtpServer } from '../../process/setting-values.ts';
import { Mailer } from '../notifications/mailer.ts';
import { byMail, NotificationSender } from '../notifications/sender.ts';
import { reporter } from './reporter.ts';

const RECIPIENTS = ['ada@example.com', 'ben@example.com'];
const DUE_MS = NOW_MS - 1_000;
const logger = createLogger('silent');
const now = () => NOW_MS;

describeEachEngine('reports that are due', (engine) => {
  let app: App;
  let other: App;
  const mail = new MailServer();

  before(async () => {
    await mail.start();
    app = await engine.open();
    // Only a database server can have a second node.
    other = engine.name === 'postgres' ? await engine.open() : app;
    await registerDevice(app, { deviceId: 'silo-n', name: 'Barley tower', facility: 'North' });
    await registerDevice(app, { deviceId: 'silo-s', name: 'Hidden tower', facility: 'South' });
  });
  after(() => mail.stop());

  const ownerWith = async (keyId: string): Promise<string> => {
    await app.keys.create({
      keyId,
      kind: 'service',
      name: keyId,
      grants: [grantOf(['read'], ['North'])],
      hash: `hash of ${keyId}`,
      createdAtMs: NOW_MS - DAY_MS,
      expiresAtMs: null,
    });
    return keyId;
  };
  const schedule = async (scheduleId: string, keyId: string): Promise<void> => {
    const content = scheduleContent({ name: 'Morning', period: 'daily', recipients: RECIPIENTS }, 'UTC');
    await app.reports.createSchedule({ scheduleId, keyId, content, nextAtMs: DUE_MS });
  };
  const messagesOf = (ruleId: string) =>
    app.notifications.list({ status: null, ruleId, beforeId: null, limit: 100 });
  /** Runs the reporters of both nodes at once until the schedule is no longer due. */
  async function runReporters(scheduleId: string): Promise<void> {
    const nodes = [app, other].map((one) => reporter({ app: one, consoleUrl: null, logger, now }));
    for (const node of nodes) node.start();
    await eventually(async () => (await app.reports.schedule(scheduleId))?.sentAtMs, DUE_MS);
    await Promise.all(nodes.map((node) => node.stop()));
  }

  it('are sent once, however many nodes make them', async () => {
    const keyId = await ownerWith('key_once');
    await schedule('rs_once', keyId);
    const due = {
      scheduleId: 'rs_once',
      dueAtMs: DUE_MS,
      nextAtMs: NOW_MS + DAY_MS,
      name: 'Morning',
      recipients: RECIPIENTS,
      mailed: null,
      nowMs: NOW_MS,
    };
    const taken = await Promise.all([app, other, app, other].map((one) => one.reports.sendDue(due)));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal((await messagesOf('rs_once')).length, RECIPIENTS.length);
  });

  it('reach every recipient as HTML with a file, with what their owner may see', async () => {
    await schedule('rs_north', await ownerWith('key_north'));
    await runReporters('rs_north');
    assert.equal((await messagesOf('rs_north')).length, RECIPIENTS.length);
    const server = asSmtpServer(mail.url);
    assert.ok(!(server instanceof Error));
    const mailer = new Mailer(server, { name: 'Granary', address: 'granary@farm.example' });
    const sender = new NotificationSender({ app, way: byMail(mailer), urgency: 'other', logger, now });
    sender.start();
    const statuses = async () => (await messagesOf('rs_north')).map(({ status }) => status).join();
    await eventually(statuses, 'sent,sent').finally(() => sender.stop());
    assert.deepEqual(mail.received.flatMap(({ to }) => to).toSorted(), RECIPIENTS);
    const [received] = mail.received;
    assert.match(received?.headers ?? '', /^Subject: Daily report Sunday, June 14, 2026/m);
    assert.match(received?.text ?? '', /Content-Type: text\/html/);
    assert.match(received?.text ?? '', /filename=report-daily-2026-06-14\.csv/);
    assert.match(received?.text ?? '', /Barley tower/);
    assert.doesNotMatch(received?.text ?? '', /Hidden tower/);
    const next = (await app.reports.schedule('rs_north'))?.nextAtMs ?? 0;
    assert.equal(next, Date.UTC(2026, 5, 16, 6));
  });

  it('fail where their owner may not read any more, and are tried again the next day', async () => {
    await schedule('rs_gone', 'key_gone');
    await runReporters('rs_gone');
    const messages = await messagesOf('rs_gone');
    assert.deepEqual(
      messages.map(({ status, lastError }) => [status, lastError?.includes('may not read any more')]),
      [
        ['failed', true],
        ['failed', true],
      ],
    );
  });

  it('belong to the key that replaces the one of their owner', async () => {
    await schedule('rs_moved', await ownerWith('key_old'));
    const successor = { keyId: 'key_new', hash: 'hash of key_new', createdAtMs: NOW_MS };
    await app.keys.rotate('key_old', successor, NOW_MS + DAY_MS);
    assert.equal((await app.reports.schedule('rs_moved'))?.keyId, 'key_new');
  });
});
