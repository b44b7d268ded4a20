import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@granary/testing/server/eventually';
import { describeRequests, siloNamed } from '@granary/testing/server/service';
import { verify, WebhookReceiver } from '@granary/testing/server/webhooks/receiver';

const PRIVATE_ALLOWED = { GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on' };
const SOON = { webhooks: { schedule: { delaysMs: [50, 50] }, attemptMs: 1_000 } };

describeRequests(
  'webhooks',
  (api) => {
    const receiver = new WebhookReceiver();
    let devices = 0;

    before(() => receiver.start());
    after(() => receiver.stop());

    const create = async (fields: object = {}) => {
      const body = { url: receiver.url, event_types: ['device.registered'], ...fields };
      const answer = await api.post('/v1/webhooks', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    };
    const pathOf = ({ webhook_id }: { webhook_id: string }) => `/v1/webhooks/${webhook_id}`;

    /** Registers a device in a facility of its own, so that each test has its own events. */
    async function registerIn(facility: string): Promise<string> {
      const deviceId = `hooked-${++devices}`;
      const { status } = await api.post('/v1/siloscale/devices', siloNamed(deviceId, facility));
      assert.equal(status, 200);
      return deviceId;
    }

    const receivedOf = (facility: string) =>
      receiver.messages.filter(({ body }) => body.data?.location?.facility === facility);

    async function statusesOf(webhook: { webhook_id: string }): Promise<string[]> {
      const { data } = (await api.get(`${pathOf(webhook)}/deliveries`)).body;
      return data.map(({ status }: { status: string }) => status);
    }

    it('show their secret once, and take it as the key of their signatures', async () => {
      const { secret, ...record } = await create({ facilities: ['signed'] });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const { last_event_id: _, ...shown } = (await api.get(pathOf(record))).body.data;
      assert.deepEqual({ ...shown, last_event_id: record.last_event_id }, record);
      const listed = (await api.get('/v1/webhooks')).text;
      assert.ok(listed.includes(record.webhook_id) && !listed.includes(secret));
      const deviceId = await registerIn('signed');
      await eventually(async () => receivedOf('signed').length, 1);
      const [message] = receivedOf('signed');
      assert.ok(message !== undefined);
      verify(secret, message);
      assert.throws(() => verify(secret, { ...message, text: `${message.text} ` }));
      assert.equal(message.body.type, 'device.registered');
      assert.equal(message.body.device_id, deviceId);
      assert.equal(message.headers['webhook-id'], `evt_${message.body.id}`);
      assert.equal(message.headers['content-type'], 'application/json');
      assert.equal(message.text.includes('secret'), false);
    });

    it('are repeated with the same id until the receiver accepts', async () => {
      let failures = 2;
      receiver.answer = (response) => response.writeHead(failures-- > 0 ? 500 : 200).end('x');
      const webhook = await create({ facilities: ['repeated'] });
      await registerIn('repeated');
      await eventually(async () => (await statusesOf(webhook)).join(), 'delivered');
      const messages = receivedOf('repeated');
      assert.equal(messages.length, 3);
      assert.equal(new Set(messages.map(({ headers }) => headers['webhook-id'])).size, 1);
      for (const message of messages) verify(webhook.secret, message);
    });

    it('list dead deliveries, which can be replayed', async () => {
      receiver.answer = (response) => response.writeHead(500).end();
      const webhook = await create({ facilities: ['dead'] });
      await registerIn('dead');
      await eventually(async () => (await statusesOf(webhook)).join(), 'dead');
      const [dead] = (await api.get(`${pathOf(webhook)}/deliveries?status=dead`)).body.data;
      const { attempts, last_status, last_error, next_attempt_at } = dead;
      assert.deepEqual([attempts, last_status, next_attempt_at], [3, 500, null]);
      assert.equal(last_error, 'the receiver answered 500');
      assert.deepEqual((await api.get(`${pathOf(webhook)}/deliveries?status=pending`)).body.data, []);
      receiver.answer = (response) => response.writeHead(204).end();
      const replayed = await api.post(`${pathOf(webhook)}/replay`, { dead: true });
      assert.deepEqual(replayed.body.data, { events: 0, deliveries: 1 });
      await eventually(async () => (await statusesOf(webhook)).join(), 'delivered');
    });

    it('are replayed from an event on', async () => {
      const webhook = await create({ facilities: ['replayed'] });
      for (let i = 0; i < 3; i++) await registerIn('replayed');
      await eventually(async () => receivedOf('replayed').length, 3);
      const second = receivedOf('replayed')
        .map(({ body }) => body.id)
        .toSorted((a, b) => a - b)[1];
      await api.post(`${pathOf(webhook)}/replay`, { from_event: second });
      await eventually(async () => receivedOf('replayed').length, 5);
      const none = await api.post(`${pathOf(webhook)}/replay`, { from_event: 1_000_000 });
      assert.equal(none.body.error.code, 'invalid_input');
      assert.equal((await api.post(`${pathOf(webhook)}/replay`, {})).status, 400);
    });

    it('are disabled by 410 and enabled again by a person', async () => {
      receiver.answer = (response) => response.writeHead(410).end();
      const webhook = await create({ facilities: ['gone'] });
      await registerIn('gone');
      await eventually(async () => (await api.get(pathOf(webhook))).body.data.enabled, false);
      assert.match((await api.get(pathOf(webhook))).body.data.disabled_reason, /410/);
      const refused = await api.post(`${pathOf(webhook)}/test`);
      assert.equal(refused.body.error.code, 'webhook_disabled');
      receiver.answer = (response) => response.writeHead(204).end();
      const enabled = await api.post(`${pathOf(webhook)}/enable`);
      assert.deepEqual([enabled.body.data.enabled, enabled.body.data.disabled_reason], [true, null]);
      await eventually(async () => (await statusesOf(webhook)).join(), 'delivered');
    });

    describe('are tested', () => {
      it('with a message that is answered with its delivery', async () => {
        const webhook = await create({ facilities: ['tested'] });
        const { data } = (await api.post(`${pathOf(webhook)}/test`)).body;
        assert.deepEqual(
          [data.status, data.type, data.event_id, data.attempts],
          ['delivered', 'webhook.test', null, 1],
        );
        const message = receiver.messages.at(-1);
        assert.ok(message !== undefined);
        verify(webhook.secret, message);
        assert.equal(message.body.id, data.message_id);
        assert.deepEqual(message.body.data, { webhook_id: webhook.webhook_id });
      });

      it('once, and a failure is the answer', async () => {
        receiver.answer = (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
        const webhook = await create({ facilities: ['tested'] });
        const { data } = (await api.post(`${pathOf(webhook)}/test`)).body;
        assert.deepEqual([data.status, data.attempts, data.last_status], ['dead', 1, 302]);
        assert.match(data.last_error, /not followed/);
        assert.equal((await api.get(pathOf(webhook))).body.data.failing_since, null);
        receiver.answer = (response) => response.writeHead(204).end();
      });
    });

    it('are signed with both secrets during a rotation', async () => {
      const webhook = await create({ facilities: ['rotated'] });
      const key = { 'idempotency-key': 'rotation 1' };
      const rotated = await api.post(`${pathOf(webhook)}/rotate-secret`, { overlap_seconds: 60 }, key);
      const { secret } = rotated.body.data;
      assert.notEqual(secret, webhook.secret);
      const again = await api.post(`${pathOf(webhook)}/rotate-secret`, { overlap_seconds: 60 }, key);
      assert.equal(again.body.data.secret, secret);
      await registerIn('rotated');
      await eventually(async () => receivedOf('rotated').length, 1);
      for (const message of receivedOf('rotated')) {
        verify(secret, message);
        verify(webhook.secret, message);
      }
      const atOnce = await api.post(`${pathOf(webhook)}/rotate-secret`, { overlap_seconds: 0 });
      await registerIn('rotated');
      await eventually(async () => receivedOf('rotated').length, 2);
      const last = receivedOf('rotated').at(-1);
      assert.ok(last !== undefined);
      verify(atOnce.body.data.secret, last);
      assert.throws(() => verify(secret, last));
    });

    it('name the actor of an event, and every change of a webhook is audited without its secret', async () => {
      const webhook = await create({ facilities: ['audited'] });
      const silo = siloNamed('audited-1', 'audited');
      await api.post('/v1/siloscale/devices', silo, { 'x-actor': 'Ada' });
      await eventually(async () => receivedOf('audited').length, 1);
      assert.equal(receivedOf('audited')[0]?.body.actor.actor, 'Ada');
      await api.patch(pathOf(webhook), { description: 'x' });
      const rotated = await api.post(`${pathOf(webhook)}/rotate-secret`);
      await api.delete(pathOf(webhook));
      const { text, body } = await api.get('/v1/audit?limit=100');
      const actions = body.data
        .filter(({ resource_id }: { resource_id: string }) => resource_id === webhook.webhook_id)
        .map(({ action }: { action: string }) => action);
      assert.deepEqual(actions, [
        'webhooks.remove',
        'webhooks.rotateSecret',
        'webhooks.update',
        'webhooks.create',
      ]);
      assert.equal(text.includes(webhook.secret) || text.includes(rotated.body.data.secret), false);
    });

    it('are changed and removed', async () => {
      const webhook = await create({ facilities: ['changed'], description: 'before' });
      const patch = { facilities: ['other'], description: null, event_types: null };
      const { data } = (await api.patch(pathOf(webhook), patch)).body;
      assert.deepEqual([data.facilities, data.description, data.event_types], [['other'], null, null]);
      assert.equal(data.url, webhook.url);
      assert.equal((await api.delete(pathOf(webhook))).status, 200);
      assert.equal((await api.get(pathOf(webhook))).body.error.code, 'webhook_not_found');
      assert.equal((await api.delete(pathOf(webhook))).status, 404);
      await registerIn('other');
      await registerIn('changed');
      assert.equal(receivedOf('other').length + receivedOf('changed').length, 0);
    });

    it('cannot be managed with a limited key, nor without the scope admin', async () => {
      const limits = [{ scopes: ['admin'], facilities: ['north'] }, { scopes: ['read', 'configure'] }];
      for (const limit of limits) {
        const { key } = (await api.post('/v1/keys', { name: 'limited', ...limit })).body.data;
        assert.equal((await api.as(key).get('/v1/webhooks')).body.error.code, 'forbidden');
        const body = { url: receiver.url };
        assert.equal((await api.as(key).post('/v1/webhooks', body)).body.error.code, 'forbidden');
      }
    });

    it('are refused with wrong fields', async () => {
      const wrong: [object, string][] = [
        [{}, '/url'],
        [{ url: 'ftp://example.com' }, '/url'],
        [{ url: 'http:///example.com' }, '/url'],
        [{ url: 'http://example.com:99999' }, '/url'],
        [{ url: 'https://user:pass@example.com' }, '/url'],
        [{ url: 'https://example.com', event_types: ['weather.changed'] }, '/event_types/0'],
        [{ url: 'https://example.com', event_types: [] }, '/event_types'],
        [{ url: 'https://example.com', severities: ['loud'] }, '/severities/0'],
        [{ url: 'https://example.com', secret: 'mine' }, '/secret'],
      ];
      for (const [body, path] of wrong) {
        const { status, body: answer, text } = await api.post('/v1/webhooks', body);
        assert.equal(status, 400, text);
        assert.equal(answer.error.details[0].path, path, text);
      }
    });
  },
  PRIVATE_ALLOWED,
  SOON,
);

describeRequests(
  'webhooks with addresses of the site',
  (api) => {
    it('are refused, however the address is written', async () => {
      const hosts = [
        '127.0.0.1',
        '2130706433',
        '0x7f000001',
        '[::1]',
        '[::ffff:10.0.0.1]',
        '169.254.169.254',
      ];
      for (const host of hosts) {
        const { status, body } = await api.post('/v1/webhooks', { url: `http://${host}:8080/` });
        assert.deepEqual([status, body.error.code], [422, 'webhook_target_refused'], host);
      }
    });

    it('are refused at each attempt if a name resolves to them', async () => {
      const { data } = (await api.post('/v1/webhooks', { url: 'http://receiver.test/' })).body;
      const path = `/v1/webhooks/${data.webhook_id}`;
      const tested = (await api.post(`${path}/test`)).body.data;
      assert.deepEqual([tested.status, tested.last_status], ['dead', null]);
      assert.match(tested.last_error, /private or reserved/);
      const patched = await api.patch(path, { url: 'http://10.1.1.1/' });
      assert.equal(patched.body.error.code, 'webhook_target_refused');
    });
  },
  {},
  { webhooks: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] } },
);
