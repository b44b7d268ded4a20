import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openApp } from '@granary/app/app';
import { MAILED } from '@granary/testing/app/every-shift-write';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { registerLowSilo } from '@granary/testing/server/devices/low-silo';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { signedIn } from '@granary/testing/server/people';
import { describeService } from '@granary/testing/server/service';

const REPORTS = IS_FULL_SIZE ? 500 : 60;
const REPORTS_PER_HOUR = 20;
/** Less than an attempt to send a mail lasts that hangs. */
const PATIENCE_MS = 30_000;

/** Answers nothing about the recipients of reports while it holds them. */
const held: (() => void)[] = [];
let isHolding = true;
const mail = await new MailServer({
  onRcptTo: ({ address }, _session, done) => {
    if (isHolding && address.startsWith('reader-')) held.push(done);
    else done();
  },
}).start();
after(() => mail.stop());

describeService(
  'an alert',
  (api, location) => {
    const mailsTo = (start: string) => mail.received.filter(({ to }) => to[0]?.startsWith(start));

    it('is mailed at once while reports hang that were asked for before it', async () => {
      isHolding = true;
      held.length = 0;
      mail.received.length = 0;
      const targets = [{ email: 'shift@example.com' }];
      const rule = { name: 'Shift', match: { facilities: ['east'], severity_min: 'critical' }, targets };
      const { status, text } = await api.post('/v1/notification-rules', rule);
      assert.equal(status, 200, text);
      const other = await openApp(location());
      try {
        await Promise.all(
          Array.from({ length: REPORTS }, (_, index) => {
            const email = `reader-${index}@example.com`;
            return other.reports.send({ personId: `per_${index}`, email, mailed: MAILED, nowMs: Date.now() });
          }),
        );
      } finally {
        await other.close();
      }
      await eventually(async () => held.length > 0, true);
      const path = await registerLowSilo(api, 'east');
      await api.post(`${path}/telemetry`, { ts: Date.now(), weight: 40 });
      await eventually(async () => mailsTo('shift').length, 1, PATIENCE_MS);
      assert.deepEqual([mail.received.length, mailsTo('reader').length], [1, 0]);
      isHolding = false;
      for (const release of held) release();
      await eventually(async () => mailsTo('reader').length, REPORTS);
    });

    it('waits for no flood of reports, of which a person has one that waits and few in an hour', async () => {
      isHolding = true;
      held.length = 0;
      const ada = await signedIn(api, [{ role: 'viewer', facilities: ['north'] }]);
      await api.patch(`/v1/people/${ada.person.person_id}`, { email: 'reader-ada@example.com' });
      const ask = async () => {
        const { status, body } = await ada.ask('POST', '/v1/reports', {});
        return status === 200 ? 'sent' : body.error.message_code;
      };
      const atOnce = await Promise.all(Array.from({ length: 10 }, ask));
      const waiting = atOnce.filter((told) => told === 'message_waits_already').length;
      assert.ok(waiting > 0, atOnce.join());
      isHolding = false;
      for (const release of held) release();
      let sent = atOnce.length - waiting;
      for (let told = ''; told !== 'messages_in_an_hour'; ) {
        told = await ask();
        if (told === 'sent') sent++;
        assert.ok(sent <= REPORTS_PER_HOUR, `${sent} reports`);
      }
      assert.equal(sent, REPORTS_PER_HOUR);
    });
  },
  { GRANARY_SMTP_URL: mail.url, GRANARY_MAIL_FROM: 'Granary <granary@farm.example>' },
);
