import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { registerLowSilo } from '@granary/testing/server/devices/low-silo';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer, smtpRefusal } from '@granary/testing/server/mail-server';
import { signedIn } from '@granary/testing/server/people';
import { describeRequests } from '@granary/testing/server/service';
import { verify, WebhookReceiver } from '@granary/testing/server/webhooks/receiver';

const RULES = '/v1/notification-rules';

/** The recipient decides what the server does. */
const mail = await new MailServer({
  onRcptTo: ({ address }, _session, done) => {
    if (address.startsWith('unknown')) done(smtpRefusal(550, 'no such user'));
    else if (address.startsWith('grey')) done(smtpRefusal(450, 'come again later'));
    else done();
  },
}).start();
after(() => mail.stop());

const ENV = {
  GRANARY_SMTP_URL: mail.url,
  GRANARY_MAIL_FROM: 'Granary <granary@farm.example>',
  GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on',
  GRANARY_PUBLIC_URL: 'https://granary.farm.example/',
};

const mailsTo = (address: string) => mail.received.filter(({ to }) => to.includes(address));

describeRequests(
  'notifications',
  (api) => {
    const lowSilo = (facility?: string) => registerLowSilo(api, facility);
    const rule = async (body: object): Promise<string> => {
      const { status, body: answer } = await api.post(RULES, { name: 'Shift', ...body });
      assert.equal(status, 200, JSON.stringify(answer));
      return answer.data.rule_id;
    };
    const ofRule = async (ruleId: string) => (await api.get(`/v1/notifications?rule_id=${ruleId}`)).body.data;

    it('sends a report to the person who asks for it', async () => {
      const ada = await signedIn(api, [{ role: 'viewer', facilities: ['north'] }]);
      const noAddress = await ada.ask('POST', '/v1/reports', {});
      assert.equal(noAddress.body.error.code, 'notification_target_unusable');
      const to = `ada-${crypto.randomUUID()}@example.com`;
      await api.patch(`/v1/people/${ada.person.person_id}`, { email: to });
      assert.equal((await ada.ask('POST', '/v1/reports', { date: '9999-01-01' })).status, 400);
      const sent = await ada.ask('POST', '/v1/reports', { period: 'weekly', language: 'fr' });
      assert.deepEqual([sent.status, sent.body.data], [200, { email: to }]);
      await eventually(async () => mailsTo(to).length, 1);
      assert.match(mailsTo(to)[0]?.text ?? '', /Content-Type: text\/html/);
      assert.match(mailsTo(to)[0]?.text ?? '', /Rapport hebdomadaire/);
      assert.equal((await api.post('/v1/reports', {})).body.error.code, 'notification_target_unusable');
    });

    it('keeps report schedules, each for who made it and for an admin without limits', async () => {
      const path = '/v1/report-schedules';
      const wanted = { name: 'Morning', period: 'monthly', recipients: ['boss@example.com'] };
      const keyOf = async (body: object) =>
        api.as((await api.post('/v1/keys', { name: 'k', scopes: ['read', 'admin'], ...body })).body.data.key);
      const north = await keyOf({ facilities: ['north'] });
      const south = await keyOf({ facilities: ['south'] });
      const reader = await keyOf({ scopes: ['read'] });
      for (const [body, pointer] of [
        [{ ...wanted, recipients: [] }, '/recipients'],
        [{ ...wanted, recipients: ['a@b.c, d@e.f'] }, '/recipients/0'],
        [{ ...wanted, recipients: ['a@b.c', 'a@b.c'] }, '/recipients'],
        [{ ...wanted, period: 'hourly' }, '/period'],
        [{ ...wanted, time: '24:00' }, '/time'],
        [{ ...wanted, time_zone: 'Mars' }, '/time_zone'],
        [{ ...wanted, label: '=' }, '/label'],
        [{ ...wanted, name: 'a\nb' }, '/name'],
        [{ ...wanted, cc: [] }, '/cc'],
      ] as const) {
        const { status, body: answer } = await north.post(path, body);
        assert.deepEqual([status, answer.error?.details?.[0]?.path], [400, pointer], JSON.stringify(body));
      }
      assert.equal((await north.post(path, { ...wanted, facility: 'south' })).body.error.code, 'forbidden');
      assert.equal((await reader.post(path, wanted)).body.error.code, 'forbidden');
      assert.deepEqual((await north.get(path)).body.data, [], 'nothing was kept of these');

      const made = (await north.post(path, { ...wanted, time: '05:30', facility: 'north' })).body.data;
      assert.match(made.next_at, /-01T05:30:00\.000Z$/);
      assert.deepEqual([made.language, made.attach_csv, made.sent_at], ['en', true, null]);
      const one = `${path}/${made.schedule_id}`;
      const idsOf = async (as: typeof api) =>
        (await as.get(path)).body.data.map(({ schedule_id: id }: { schedule_id: string }) => id);
      assert.deepEqual([await idsOf(north), await idsOf(south)], [[made.schedule_id], []]);
      assert.ok((await idsOf(api)).includes(made.schedule_id));
      for (const refused of [await south.put(one, wanted), await south.delete(one)]) {
        assert.equal(refused.body.error.code, 'report_schedule_not_found');
      }
      const off = (await north.put(one, { ...wanted, enabled: false })).body.data;
      assert.deepEqual([off.next_at, off.facility, off.created_by.key_name], [null, null, 'k']);
      assert.equal((await api.delete(one)).status, 200);
      assert.equal((await north.delete(one)).body.error.code, 'report_schedule_not_found');
      const kept: string[] = [];
      let refusal: string | undefined;
      while (refusal === undefined && kept.length <= 100) {
        const { body } = await api.post(path, wanted);
        refusal = body.error?.code;
        if (refusal === undefined) kept.push(body.data.schedule_id);
      }
      assert.deepEqual([kept.length, refusal], [100, 'report_schedule_limit_reached']);
      for (const id of kept) await api.delete(`${path}/${id}`);
    });

    it('tells people by e-mail that an alert was raised and that it is over', async () => {
      const to = `shift-${crypto.randomUUID()}@example.com`;
      const ruleId = await rule({ match: { facilities: ['east'] }, targets: [{ email: to }] });
      await lowSilo('west');
      const path = await lowSilo('east');
      await eventually(async () => mailsTo(to).length, 1);
      const [first] = mailsTo(to);
      const { data } = (await api.get(`${path}/alerts`)).body;
      assert.match(first?.headers ?? '', /^Subject: Warning: Silo low-[\w-]+ \(east, a\): Level is 15\.0 %/m);
      assert.equal(data.length, 1);
      assert.match(first?.text ?? '', /https:\/\/granary\.farm\.example\/#\/alerts\?device=low-[\w-]+/);
      await eventually(async () => (await ofRule(ruleId))[0].status, 'sent');
      const [shown] = await ofRule(ruleId);
      assert.deepEqual([shown.attempts, shown.alert_count, shown.last_error], [1, 1, null]);
      assert.match(
        first?.headers ?? '',
        new RegExp(`^Message-ID: <${shown.notification_id}@farm.example>`, 'm'),
      );
      assert.equal(mailsTo(to).length, 1);
    });

    it('tells programs by webhook, signed, with the alerts as the API shows them', async () => {
      const receiver = new WebhookReceiver();
      const url = await receiver.start();
      try {
        const hook = (await api.post('/v1/webhooks', { url, event_types: ['notification.failed'] })).body
          .data;
        const { webhook_id: webhookId } = hook;
        const ruleId = await rule({
          match: { facilities: ['hooked'] },
          targets: [{ webhook_id: webhookId }],
        });
        const path = await lowSilo('hooked');
        await eventually(async () => receiver.messages.length, 1);
        const [message] = receiver.messages;
        if (message === undefined) throw new Error('nothing was received');
        verify(hook.secret, message);
        const [shown] = await ofRule(ruleId);
        assert.deepEqual([shown.status, shown.target], ['sent', { webhook_id: webhookId }]);
        assert.equal(message.headers['webhook-id'], shown.notification_id);
        const { type, data } = message.body;
        assert.deepEqual([type, data.rule_id, data.alert_count], ['notification', ruleId, 1]);
        const [alert] = (await api.get(`${path}/alerts`)).body.data;
        assert.deepEqual(data.alerts[0].alert.alert_id, alert.alert_id);
        assert.deepEqual(data.alerts[0].location, { facility: 'hooked', zone: 'a' });

        await api.patch(`/v1/webhooks/${webhookId}`, { enabled: false });
        const { body } = await api.post(`${RULES}/${ruleId}/test`);
        const [failed] = body.data.notifications;
        assert.deepEqual([failed.status, failed.last_error], ['failed', 'the webhook is disabled']);
        assert.equal(receiver.messages.length, 1);
        await api.delete(`/v1/webhooks/${webhookId}`);
        const refused = await api.post(`${RULES}/${ruleId}/test`);
        assert.deepEqual([refused.status, refused.body.error.code], [422, 'notification_target_unusable']);
        await lowSilo('hooked');
        await eventually(async () => (await ofRule(ruleId))[0].last_error, 'the webhook was removed');
      } finally {
        await receiver.stop();
      }
    });

    it('creates, shows, lists, replaces and removes rules', async () => {
      const { data: made } = (
        await api.post(RULES, { name: 'Owner', targets: [{ email: 'owner@example.com' }] })
      ).body;
      assert.deepEqual(made.match, {
        severity_min: 'warning',
        types: null,
        facilities: null,
        device_ids: null,
      });
      const path = `${RULES}/${made.rule_id}`;
      assert.deepEqual((await api.get(path)).body.data, made);
      const listed = (await api.get(RULES)).body.data;
      assert.ok(listed.some(({ rule_id }: { rule_id: string }) => rule_id === made.rule_id));
      const changed = { name: 'Owner', targets: [{ email: 'owner@example.com' }], enabled: false };
      const { data: replaced } = (await api.put(path, changed)).body;
      assert.deepEqual([replaced.enabled, replaced.created_at], [false, made.created_at]);
      assert.equal((await api.delete(path)).status, 200);
      for (const answer of [await api.get(path), await api.put(path, changed), await api.delete(path)]) {
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'notification_rule_not_found']);
      }
    });

    it('creates one rule for a repeated request', async () => {
      const body = { name: 'Once', targets: [{ email: 'once@example.com' }] };
      const key = { 'idempotency-key': crypto.randomUUID() };
      const first = await api.post(RULES, body, key);
      const second = await api.post(RULES, body, key);
      assert.equal(second.body.data.rule_id, first.body.data.rule_id);
    });

    it('refuses a rule that makes no sense, and names every fault', async () => {
      const { status, body } = await api.post(RULES, {
        name: 'x',
        targets: [{ email: 'a@example.com' }],
        quiet_hours: { from: '22:00', to: '22:00', time_zone: 'Mars/Olympus' },
        escalation: [
          { after_minutes: 5, targets: [{ email: 'a@example.com' }] },
          { after_minutes: 5, targets: [{ email: 'b@example.com' }] },
        ],
      });
      assert.deepEqual([status, body.error.details.length], [400, 3]);
      for (const wrong of [
        { targets: [] },
        { targets: [{ email: 'a@b, c@d' }] },
        { targets: [{ email: 'a@b', webhook_id: 'wh_1' }] },
        {
          targets: [{ email: 'a@example.com' }],
          quiet_hours: { from: '25:00', to: '06:00', time_zone: 'UTC' },
        },
        { targets: [{ email: 'a@example.com' }], summary: { window_seconds: 0 } },
        { targets: [{ email: 'a@example.com' }], match: { types: ['flood'] } },
      ]) {
        assert.equal((await api.post(RULES, { name: 'x', ...wrong })).status, 400, JSON.stringify(wrong));
      }
      const unknown = await api.post(RULES, { name: 'x', targets: [{ webhook_id: 'wh_none' }] });
      assert.deepEqual([unknown.status, unknown.body.error.code], [422, 'notification_target_unusable']);
      assert.equal(unknown.body.error.details[0].path, '/targets/0');
    });

    it('is only for unlimited keys with the scope admin', async () => {
      const keyWith = async (fields: object): Promise<string> =>
        (await api.post('/v1/keys', { name: 'k', ...fields })).body.data.key;
      const limited = api.as(await keyWith({ scopes: ['admin'], facilities: ['north'] }));
      const reader = api.as(await keyWith({ scopes: ['read', 'operate', 'configure'] }));
      for (const caller of [limited, reader]) {
        const body = { name: 'x', targets: [{ email: 'a@example.com' }] };
        for (const answer of [
          await caller.get(RULES),
          await caller.post(RULES, body),
          await caller.get('/v1/notifications'),
        ]) {
          assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden']);
        }
      }
    });

    it('sends a test to every target and shows what came of it', async () => {
      const to = `test-${crypto.randomUUID()}@example.com`;
      const ruleId = await rule({
        targets: [{ email: to }, { email: 'unknown@example.com' }],
        escalation: [{ after_minutes: 5, targets: [{ email: 'grey@example.com' }, { email: to }] }],
      });
      const { body } = await api.post(`${RULES}/${ruleId}/test`);
      assert.equal(body.data.notifications.length, 3);
      await eventually(async () => mailsTo(to).length, 1);
      const shownOf = async (): Promise<string> => {
        const shown: { target: { email: string }; status: string; last_error: string | null }[] =
          await ofRule(ruleId);
        return shown
          .map(
            ({ target, status, last_error }) =>
              `${target.email.slice(0, 4)} ${status} ${last_error !== null}`,
          )
          .sort()
          .join();
      };
      await eventually(shownOf, 'grey pending true,test sent false,unkn failed true');
      const failed = (await api.get(`/v1/notifications?rule_id=${ruleId}&status=failed`)).body.data;
      assert.equal(failed.length, 1);
      assert.match(failed[0].last_error, /no such user/);
      await api.delete(`${RULES}/${ruleId}`);
      const statuses = (await ofRule(ruleId)).map(({ status }: { status: string }) => status);
      assert.deepEqual(statuses.sort(), ['cancelled', 'failed', 'sent']);
    });
  },
  ENV,
);

describeRequests('notifications without a mail server', (api) => {
  it('refuses e-mail and says which setting is missing', async () => {
    const { status, body } = await api.post(RULES, { name: 'x', targets: [{ email: 'a@example.com' }] });
    assert.deepEqual([status, body.error.code], [422, 'notification_target_unusable']);
    assert.match(body.error.message, /GRANARY_SMTP_URL/);
  });
});
