import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openApp } from '@granary/app/app';
import { PUSH_SUBSCRIPTIONS_MAX } from '@granary/app/notifications/push-rows';
import { MAILED } from '@granary/testing/app/slices/reports';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { registerLowSilo } from '@granary/testing/server/devices/low-silo';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { signedIn } from '@granary/testing/server/people';
import { PushService } from '@granary/testing/server/push-service';
import { type Answer, describeService } from '@granary/testing/server/service';

const REPORTS = IS_FULL_SIZE ? 500 : 60;
const ASKED_PER_HOUR = 20;
/** This is less than the time of an attempt to send a mail to a server that hangs. */
const PATIENCE_MS = 30_000;

/** Continue the held answers when nothing is held any more. */
const held: (() => void)[] = [];
let isHolding = true;
const hold = (): void => {
  isHolding = true;
  held.length = 0;
};
const release = (): void => {
  isHolding = false;
  for (const goOn of held) goOn();
};
/** While it holds messages, this mail server does not answer about recipients of reports and tests. */
const mail = await new MailServer({
  onRcptTo: ({ address }, _session, done) => {
    if (isHolding && address.startsWith('reader-')) held.push(done);
    else done();
  },
}).start();
const pushService = await new PushService().start();
after(async () => {
  pushService.stop();
  await mail.stop();
});

describeService(
  'an alert',
  (api, location) => {
    const mailsTo = (start: string) => mail.received.filter(({ to }) => to[0]?.startsWith(start));

    it('is mailed at once while reports hang that were asked for before it', async () => {
      hold();
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
      release();
      await eventually(async () => mailsTo('reader').length, REPORTS);
    });

    it('is pushed at once while the browsers of others hang, of which a person may have many', async () => {
      hold();
      const place = [{ role: 'viewer', facilities: ['west'] }];
      const [other, ada] = [await signedIn(api, place), await signedIn(api, place)];
      const subscribe = async ({ ask }: typeof ada) => {
        const { browser, subscription } = pushService.register();
        const answer = await ask('PUT', '/v1/me/push/subscription', subscription);
        assert.equal(answer.status, 200, answer.text);
        return browser;
      };
      const hanging = await Promise.all(
        Array.from({ length: PUSH_SUBSCRIPTIONS_MAX }, () => subscribe(other)),
      );
      for (const browser of hanging) browser.until = new Promise((resolve) => void held.push(resolve));
      const path = await registerLowSilo(api, 'west');
      const isHanging = () => hanging.some(({ asked }) => asked > 0);
      await eventually(async () => isHanging(), true);
      const own = await subscribe(ada);
      await api.post(`${path}/telemetry`, { ts: Date.now(), weight: 40 });
      await eventually(async () => own.messages.length > 0, true, PATIENCE_MS);
      release();
    });

    const viewer = () => signedIn(api, [{ role: 'viewer', facilities: ['north'] }]);
    let asking = 0;
    /** Each entry prepares a request of its own; the messages of the request wait while they are held. */
    const MESSAGES: Readonly<Record<string, () => Promise<() => Promise<Answer>>>> = {
      reports: async () => {
        const ada = await viewer();
        const { person_id: id } = ada.person;
        await api.patch(`/v1/people/${id}`, { email: `reader-${id}@example.com` });
        return () => ada.ask('POST', '/v1/reports', {});
      },
      'tests of a rule': async () => {
        const targets = [{ email: `reader-of-rule-${++asking}@example.com` }];
        const rule = { name: 'Nowhere', match: { facilities: ['nowhere'] }, targets };
        const { rule_id: id } = (await api.post('/v1/notification-rules', rule)).body.data;
        return () => api.post(`/v1/notification-rules/${id}/test`);
      },
      'tests of Web Push': async () => {
        const ada = await viewer();
        const { browser, subscription } = pushService.register();
        if (isHolding) browser.until = new Promise((resolve) => void held.push(resolve));
        const answer = await ada.ask('PUT', '/v1/me/push/subscription', subscription);
        assert.equal(answer.status, 200, answer.text);
        return () => ada.ask('POST', '/v1/me/push/test');
      },
    };

    for (const [name, prepare] of Object.entries(MESSAGES)) {
      it(`waits for no flood of ${name}, of which one waits and few are sent in an hour`, async () => {
        hold();
        const ask = await prepare();
        const told = async (): Promise<string> => {
          const { status, body } = await ask();
          if (status === 200) return 'sent';
          assert.deepEqual([status, body.error.code], [429, 'rate_limited']);
          return body.error.message_code;
        };
        const atOnce = await Promise.all(Array.from({ length: 10 }, told));
        release();
        let sent = atOnce.filter((one) => one === 'sent').length;
        // More than one message was sent only where an attempt had begun, and few attempts run at once.
        assert.deepEqual([...new Set(atOnce)].toSorted(), ['message_waits_already', 'sent']);
        for (let last = ''; last !== 'messages_in_an_hour'; ) {
          last = await told();
          if (last === 'sent') sent++;
          assert.ok(sent <= ASKED_PER_HOUR, `${sent} of ${name}`);
        }
        assert.equal(sent, ASKED_PER_HOUR);
        const another = await prepare();
        assert.equal((await another()).status, 200, 'each has a limit of its own');
      });
    }
  },
  {
    GRANARY_SMTP_URL: mail.url,
    GRANARY_MAIL_FROM: 'Granary <granary@farm.example>',
    GRANARY_PUSH_ORIGINS: pushService.origin,
  },
);
