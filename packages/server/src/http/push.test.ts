import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { registerLowSilo } from '@granary/testing/server/devices/low-silo';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { signedIn } from '@granary/testing/server/people';
import { PushService } from '@granary/testing/server/push-service';
import { describeService } from '@granary/testing/server/service';

const RULES = '/v1/notification-rules';

const pushService = await new PushService().start();
after(() => pushService.stop());

const quietNow = () => {
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const now = Date.now();
  return { from: time(now - 3_600_000), to: time(now + 3_600_000), time_zone: 'UTC' };
};

describeService(
  'Web Push',
  (api) => {
    const lowSilo = (facility: string) => registerLowSilo(api, facility);
    const ofRule = async (ruleId: string) => (await api.get(`/v1/notifications?rule_id=${ruleId}`)).body.data;

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
        /** The messages about operations, without those about alerts. */
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
        // All messages about one operation are written at once, so none of these is still to come.
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
      // The next user of the browser gets its messages, and nobody else.
      await bob.ask('PUT', '/v1/me/push/subscription', ada.subscription);
      assert.equal((await ada.ask('GET', '/v1/me/push')).body.data.subscriptions.length, 0);
      const ended = await ada.ask('PUT', '/v1/me/push', { severity_min: 'loud' });
      assert.equal(ended.status, 400);
    });

    it('tells the people of a rota one after the other, of whom nobody is unknown', async () => {
      const ada = await pushed('rota', { severity_min: 'critical' });
      const body = { match: { facilities: ['rota'] }, targets: [] };
      const rota = { people: [ada.person.person_id], minutes: 5 };
      const { rule_id: ruleId } = (await api.post(RULES, { name: 'Rota', ...body, rota })).body.data;
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
  },
  { GRANARY_PUSH_ORIGINS: pushService.origin },
);
