import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer, smtpRefusal } from '@granary/testing/server/mail-server';
import { signedIn } from '@granary/testing/server/people';
import { PushService } from '@granary/testing/server/push-service';
import { describeRequests, siloNamed } from '@granary/testing/server/service';
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
const pushService = await new PushService().start();
after(() => pushService.stop());

const ENV = {
  GRANARY_SMTP_URL: mail.url,
  GRANARY_MAIL_FROM: 'Granary <granary@farm.example>',
  GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on',
  GRANARY_PUSH_ORIGINS: pushService.origin,
  GRANARY_PUBLIC_URL: 'https://granary.farm.example/',
};

const quietNow = () => {
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const now = Date.now();
  return { from: time(now - 3_600_000), to: time(now + 3_600_000), time_zone: 'UTC' };
};

const mailsTo = (address: string) => mail.received.filter(({ to }) => to.includes(address));

describeRequests(
  'notifications',
  (api) => {
    let silos = 0;
    const lowSilo = async (facility = 'north'): Promise<string> => {
      const deviceId = `low-${++silos}`;
      const path = `/v1/siloscale/devices/${deviceId}`;
      assert.equal((await api.post('/v1/siloscale/devices', siloNamed(deviceId, facility))).status, 200);
      const report = (weight: number) => api.post(`${path}/telemetry`, { ts: Date.now(), weight });
      await report(500);
      await report(150);
      return path;
    };
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
      assert.match(first?.headers ?? '', /^Subject: Warning: Silo low-\d+ \(east, a\): Level is 15\.0 %/m);
      assert.equal(data.length, 1);
      assert.match(first?.text ?? '', /https:\/\/granary\.farm\.example\/#\/alerts\?device=low-\d+/);
      await eventually(async () => (await ofRule(ruleId))[0].status, 'sent');
      const [shown] = await ofRule(ruleId);
      assert.deepEqual([shown.attempts, shown.alert_count, shown.last_error], [1, 1, null]);
      assert.match(
        first?.headers ?? '',
        new RegExp(`^Message-ID: <${shown.notification_id}@farm.example>`, 'm'),
      );
      assert.equal(mailsTo(to).length, 1);
    });

    /** A person who has signed in, with a browser that receives Web Push. */
    const pushed = async (facility: string, settings: object = {}) => {
      const grants = [{ role: 'operator', facilities: [facility] }];
      const person = await signedIn(api, grants);
      const { browser, subscription } = pushService.register();
      const answer = await person.ask('PUT', '/v1/me/push/subscription', subscription);
      assert.equal(answer.status, 200, answer.text);
      const wanted = { severity_min: 'warning', facilities: null, operations: 'all', resolved: true };
      const changed = await person.ask('PUT', '/v1/me/push', { ...wanted, quiet_hours: null, ...settings });
      assert.equal(changed.status, 200, changed.text);
      return { ...person, browser, subscription, state: changed.body.data };
    };

    it('tells people by Web Push what they may see, signed and encrypted, once', async () => {
      const ada = await pushed('pushed');
      const bob = await pushed('elsewhere');
      const path = await lowSilo('pushed');
      await eventually(async () => ada.browser.messages.length, 1);
      const [message] = ada.browser.messages;
      const { about, count, items } = message?.payload ?? {};
      assert.deepEqual([about, count], ['alerts', 1]);
      const { device_name, facility, message_code, severity } = items?.[0] ?? {};
      assert.deepEqual([facility, message_code, severity], ['pushed', 'level_below', 'warning']);
      assert.match(device_name ?? '', /^Silo low-/);
      assert.equal(message?.headers['content-encoding'], 'aes128gcm');
      await api.post(`${path}/telemetry`, { ts: Date.now(), weight: 40 });
      await eventually(
        async () => ada.browser.messages.some(({ headers }) => headers['urgency'] === 'high'),
        true,
      );
      assert.equal(bob.browser.asked, 0);
      assert.equal((await ada.ask('GET', '/v1/me/push')).body.data.subscriptions[0].is_current, true);
      assert.equal(
        (await api.get(RULES)).body.data.some(({ name }: { name: string }) => name === 'Web Push'),
        false,
      );
    });

    it('tells who wants it by Web Push that an operation has ended', async () => {
      const ada = await pushed('north', { operations: 'own' });
      const bob = await pushed('north');
      const others = [
        await pushed('north', { operations: 'none' }),
        await pushed('north', { quiet_hours: quietNow() }),
        await pushed('north', { facilities: ['elsewhere'] }),
        await pushed('elsewhere'),
      ];
      const silo = await startSilo(api, 'pushed-operations');
      try {
        const feed = `${silo.path}/operations/feed`;
        /** Without the alert about the operation that failed. */
        const told = ({ browser }: typeof ada) =>
          browser.messages
            .filter(({ payload }) => payload.about === 'operation')
            .map(({ payload: { items } }) => [items[0]?.id, items[0]?.kind]);
        const { operation_id: own } = (await ada.ask('POST', feed, { amount: 10 })).body.data;
        await silo.take('start');
        await silo.ack({ operation_id: own, accepted: true });
        await silo.progress({ operation_id: own, state: 'completed', amount_kg: 10 });
        await eventually(async () => told(bob).length, 1);
        await eventually(async () => told(ada).length, 1);
        const { operation_id: foreign } = (await api.post(feed, { amount: 10 })).body.data;
        await silo.take('start');
        await silo.ack({ operation_id: foreign, accepted: false });
        await eventually(async () => told(bob).length, 2);
        assert.deepEqual(told(bob), [
          [own, 'completed'],
          [foreign, 'failed'],
        ]);
        assert.deepEqual(told(ada), [[own, 'completed']]);
        // What is told of one operation is written at once, so nothing of these is still to come.
        const written = async ({ person }: typeof ada) =>
          (await ofRule(person.person_id)).filter(
            ({ alert_count }: { alert_count: number }) => alert_count === 0,
          ).length;
        assert.deepEqual(await Promise.all([ada, ...others].map(written)), [1, 0, 0, 0, 0]);
      } finally {
        await silo.leave();
      }
    });

    it('sends a test, and ends with the session, the person or the browser', async () => {
      const ada = await pushed('ended');
      assert.equal((await ada.ask('POST', '/v1/me/push/test')).status, 200);
      await eventually(async () => ada.browser.messages.map(({ payload }) => payload.about).join(), 'test');
      ada.browser.status = 503;
      await ada.ask('POST', '/v1/me/push/test');
      const last = async () =>
        (await api.get(`/v1/notifications?rule_id=${ada.person.person_id}`)).body.data[0];
      await eventually(async () => (await last()).last_error, 'the push service answered 503');
      assert.equal((await last()).status, 'pending');
      ada.browser.status = 410;
      await ada.ask('POST', '/v1/me/push/test');
      await eventually(async () => (await ada.ask('GET', '/v1/me/push')).body.data.subscriptions.length, 0);
      assert.equal((await ada.ask('POST', '/v1/me/push/test')).status, 404);
      const { asked } = ada.browser;
      const bob = await pushed('ended');
      await api.post(`/v1/people/${bob.person.person_id}/disable`);
      const eve = await pushed('ended');
      await eve.ask('DELETE', '/v1/session');
      await lowSilo('ended');
      const carl = await pushed('ended');
      await lowSilo('ended');
      await eventually(async () => carl.browser.asked, 1);
      assert.deepEqual([ada.browser.asked, bob.browser.asked, eve.browser.asked], [asked, 0, 0]);
    });

    it('keeps quiet hours, which critical alerts pass', async () => {
      const ada = await pushed('quiet', { quiet_hours: quietNow() });
      const path = await lowSilo('quiet');
      await api.post(`${path}/telemetry`, { ts: Date.now(), weight: 40 });
      const severities = () => ada.browser.messages.map(({ payload }) => payload.items[0]?.severity).join();
      await eventually(async () => severities(), 'critical');
    });

    it('refuses push services that nobody knows, and callers that have not signed in', async () => {
      const ada = await pushed('refusing');
      const { subscription } = pushService.register();
      for (const endpoint of [
        'http://127.0.0.1:9/x',
        'https://169.254.169.254/latest',
        'https://fcm.googleapis.com.evil.example/x',
        'http://fcm.googleapis.com/x',
        'https://fcm.googleapis.com:8443/x',
        'https://user@fcm.googleapis.com/x',
      ]) {
        const answer = await ada.ask('PUT', '/v1/me/push/subscription', { ...subscription, endpoint });
        assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_input'], endpoint);
      }
      const wrong = { ...subscription, keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } };
      assert.equal((await ada.ask('PUT', '/v1/me/push/subscription', wrong)).status, 400);
      assert.equal((await api.get('/v1/me/push')).status, 403);
      assert.equal((await ada.ask('DELETE', '/v1/me/push/subscriptions/psh_none')).status, 404);
      const [own] = ada.state.subscriptions;
      const bob = await pushed('refusing');
      const taken = await bob.ask('DELETE', `/v1/me/push/subscriptions/${own.subscription_id}`);
      assert.equal(taken.body.error.code, 'push_subscription_not_found');
      // Who uses the browser next gets its messages, and nobody else.
      await bob.ask('PUT', '/v1/me/push/subscription', ada.subscription);
      assert.equal((await ada.ask('GET', '/v1/me/push')).body.data.subscriptions.length, 0);
      const ended = await ada.ask('PUT', '/v1/me/push', { severity_min: 'loud' });
      assert.equal(ended.status, 400);
    });

    it('tells the people of a rota one after the other, of whom nobody is unknown', async () => {
      const ada = await pushed('rota', { severity_min: 'critical' });
      const body = { match: { facilities: ['rota'] }, targets: [] };
      const rota = { people: [ada.person.person_id], minutes: 5 };
      const ruleId = await rule({ ...body, rota });
      await lowSilo('rota');
      await eventually(async () => ada.browser.messages.length, 1);
      assert.deepEqual((await ofRule(ruleId))[0].step, 1);
      const refusals = [
        { ...body, rota: { people: ['per_none'], minutes: 5 } },
        { ...body, rota: null },
        { ...body, rota, escalation: [{ after_minutes: 1, targets: [{ email: 'a@example.com' }] }] },
        { ...body, rota: { ...rota, minutes: 0 } },
      ];
      for (const refused of refusals) {
        assert.ok([400, 422].includes((await api.post(RULES, { name: 'Rota', ...refused })).status));
      }
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
