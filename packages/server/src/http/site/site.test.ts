import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const YAML = 'application/yaml';

const silo = (deviceId: string, more: object = {}) => ({
  ...siloNamed(deviceId),
  profile: 'silo_scale',
  ...more,
});
const rover = (deviceId: string, more: object = {}) => ({
  ...fieldDeviceNamed(deviceId),
  profile: 'rover',
  ...more,
});

describeService(
  'the configuration of a site as a document',
  (api) => {
    const apply = (devices: readonly object[], query = '', headers = {}) =>
      api.post(`/v1/apply${query}`, { version: 1, devices }, headers);
    const postYaml = (text: string, as: Api = api) =>
      as.raw('POST', '/v1/apply', { headers: { ...as.authorization, 'content-type': YAML }, body: text });
    const exported = async () => (await api.get('/v1/export')).body.data;

    test('creates devices, answers their secrets once, and changes nothing when it is applied again', async () => {
      const sensors = [{ sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0 }];
      const rules = [{ sensor_id: 'co2', above: 900, severity: 'warning' }];
      const devices = [silo('made-1', { sensors, configuration: { rules } }), rover('made-2')];
      const named = { 'idempotency-key': 'make both' };
      const { status, body } = await apply(devices, '', named);
      assert.equal(status, 200);
      assert.deepEqual([body.data.created, body.data.text.length], [2, 2]);
      assert.deepEqual(
        body.data.credentials.map(({ username }: { username: string }) => username),
        ['made-1', 'made-2'],
      );
      assert.deepEqual((await apply(devices, '', named)).body, body);
      const again = (await apply(devices)).body.data;
      assert.deepEqual([again.unchanged, again.text, again.credentials], [2, [], []]);
      const config = await api.get('/v1/siloscale/devices/made-1/config');
      assert.equal(config.body.data.rules[0].above, 900);
    });

    test('is exported as YAML and as JSON, and an export changes nothing', async () => {
      const yaml = await api.get('/v1/export', { accept: YAML });
      assert.equal(yaml.headers.get('content-type'), `${YAML}; charset=utf-8`);
      assert.match(yaml.text, /^version: 1\ndevices:\n {2}- device_id: made-1\n/);
      assert.doesNotMatch(yaml.text, /secret/);
      const { body } = await postYaml(yaml.text);
      assert.deepEqual([body.data.unchanged, body.data.changes.length], [2, 2]);
      assert.equal((await api.get('/v1/export?facility=nowhere')).body.data.devices.length, 0);
    });

    test('changes devices and configurations, and a dry run shows the same and changes nothing', async () => {
      const document = await exported();
      const [first] = document.devices;
      const larger = {
        ...first,
        capacity: { max: 2_000, unit: 'kg' },
        configuration: { thresholds: { low_level: 12 } },
      };
      await api.post('/v1/siloscale/devices/made-1/telemetry', { ts: Date.now(), weight: 500 });
      const levelNow = async () =>
        (await api.get('/v1/siloscale/devices/made-1/sensors')).body.data.level.current;
      assert.equal(await levelNow(), 50);
      const planned = (await apply([larger], '?dry_run=true')).body.data;
      assert.deepEqual(await exported(), document);
      assert.deepEqual(planned.text, [
        '~ made-1 /capacity/max: 1000 → 2000',
        '~ made-1 /configuration/thresholds/low_level: 20 → 12',
      ]);
      const applied = (await apply([larger])).body.data;
      assert.deepEqual({ ...applied, dry_run: true }, planned);
      const detail = await api.get('/v1/siloscale/devices/made-1');
      assert.equal(detail.body.data.capacity.max, 2_000);
      assert.equal(await levelNow(), 25);
      const config = await api.get('/v1/siloscale/devices/made-1/config');
      assert.deepEqual([config.body.data.thresholds.low_level, config.headers.get('etag')], [12, '"2"']);
      assert.equal(config.body.data.rules.length, 1, 'what the document does not name stays');
    });

    test('with one bad device among a hundred is refused with every fault, and nothing is changed', async () => {
      const before = await exported();
      const hundred = Array.from({ length: 100 }, (_, index) => silo(`many-${index}`));
      hundred[17] = silo('many-17', { configuration: { thresholds: { low_level: 95 } } });
      hundred[60] = rover('made-1') as never;
      const refused = await apply(hundred);
      assert.deepEqual([refused.status, refused.body.error.code], [422, 'apply_refused']);
      assert.deepEqual(
        refused.body.error.details.map(({ path }: { path: string }) => path),
        ['/devices/17/configuration/thresholds/low_level', '/devices/60/profile'],
      );
      const malformed = await apply([
        silo('many-1', { name: 7, colour: 'red' }),
        silo('many-2', { model: '' }),
      ]);
      assert.deepEqual([malformed.status, malformed.body.error.details.length], [400, 3]);
      assert.deepEqual(await exported(), before);
    });

    test('does not change the capacity of a silo that moves material', async () => {
      const moving = await startSilo(api, 'moving');
      const feed = await api.post(`${moving.path}/operations/feed`, { amount: 10 });
      await moving.take('start');
      const refused = await apply([silo('moving', { capacity: { max: 5_000, unit: 'kg' } }), silo('other')]);
      assert.deepEqual([refused.status, refused.body.error.details[0].path], [422, '/devices/0/capacity']);
      assert.equal((await api.get('/v1/siloscale/devices/other')).status, 404);
      assert.equal((await apply([silo('moving', { name: 'Renamed' })])).body.data.updated, 1);
      await api.post(`${moving.path}/operations/${feed.body.data.operation_id}/stop`);
      await moving.leave();
    });

    test('evaluates alerts and sends the configuration as single requests do', async () => {
      const low = await startSilo(api, 'low');
      await low.weigh(300);
      const { devices } = await exported();
      const [entry] = devices.filter(({ device_id }: { device_id: string }) => device_id === 'low');
      await apply([{ ...entry, configuration: { thresholds: { low_level: 40 } } }]);
      const alerts = async () => (await api.get('/v1/alerts?device_id=low&type=low_level')).body.data.length;
      await eventually(alerts, 1);
      await low.leave();
    });

    test('has webhooks and notification rules, which name a webhook by its address', async () => {
      const url = 'http://127.0.0.1:9/hook';
      const webhooks = [{ url, device_ids: ['nobody'] }];
      const rule = { name: 'night', match: { device_ids: ['nobody'] }, targets: [{ webhook_url: url }] };
      const document = { version: 1, webhooks, notification_rules: [rule] };
      const applied = (await api.post('/v1/apply', document)).body.data;
      assert.deepEqual([applied.created, applied.text], [2, [`+ ${url}`, '+ night']]);
      const [issued] = applied.webhook_secrets;
      assert.match(issued.secret, /^whsec_/);
      const [created] = (await api.get('/v1/notification-rules')).body.data;
      assert.deepEqual(created.targets, [{ webhook_id: issued.webhook_id }]);
      const yaml = (await api.get('/v1/export', { accept: YAML })).text;
      assert.equal((await postYaml(yaml)).body.data.text.length, 0);
      const changed = {
        ...document,
        webhooks: [{ url, device_ids: ['nobody'], description: 'to the office' }],
      };
      const again = (await api.post('/v1/apply', changed)).body.data;
      assert.deepEqual([again.updated, again.text], [1, [`~ ${url} /description: null → "to the office"`]]);
      assert.deepEqual(again.webhook_secrets, []);
      const refused = await api.post('/v1/apply', {
        version: 1,
        webhooks: [{ url: 'http://169.254.169.254/' }],
        notification_rules: [
          { ...rule, targets: [{ email: 'ada@example.com' }, { webhook_url: 'http://127.0.0.1/' }] },
        ],
      });
      assert.deepEqual(
        [refused.status, refused.body.error.details.map(({ path }: { path: string }) => path)],
        [422, ['/webhooks/0/url', '/notification_rules/0/targets/0', '/notification_rules/0/targets/1']],
      );
    });

    test('leaves an entry in the audit log for each change, and a dry run leaves none', async () => {
      type Entry = { device_id: string | null; resource_id: string | null; input: { change?: unknown } };
      const entriesOf = async (query: string): Promise<Entry[]> =>
        (await api.get(`/v1/audit?action=site.apply&result=done&${query}`)).body.data;
      const many = Array.from({ length: 60 }, (_, i) => silo(`audited-${i}`));
      const before = (await entriesOf('limit=1000')).length;
      await apply(many, '?dry_run=true');
      assert.equal((await entriesOf('limit=1000')).length, before);
      await apply(many);
      assert.equal((await entriesOf('limit=1000')).length, before + 61);
      const renamed = many.map((device, i) => (i === 59 ? { ...device, name: 'Py silo 2' } : device));
      await apply(renamed, '?dry_run=true');
      await apply(renamed);
      const [last, first, ...more] = await entriesOf('device_id=audited-59');
      assert.deepEqual(last?.input, {
        change: {
          action: 'update',
          name: 'audited-59',
          differences: [{ path: '/name', before: 'Silo audited-59', after: 'Py silo 2' }],
        },
      });
      assert.partialDeepStrictEqual(first?.input.change, { action: 'create', name: 'audited-59' });
      assert.deepEqual(more, []);
      const limited = await api.post('/v1/keys', {
        name: 'k',
        scopes: ['admin'],
        device_ids: ['audited-59'],
      });
      const seen = await api.as(limited.body.data.key).get('/v1/audit?action=site.apply');
      assert.equal(seen.body.data.length, 2);
      const url = 'http://127.0.0.1:9/audited';
      await api.post('/v1/apply', { version: 1, webhooks: [{ url, device_ids: ['nobody'] }] });
      const [ofWebhook] = await entriesOf('limit=1');
      assert.match(ofWebhook?.resource_id ?? '', /^wh_/);
    });

    test('belongs to the whole site: limited keys and other scopes are refused', async () => {
      const keyWith = async (rights: object) =>
        api.as((await api.post('/v1/keys', { name: 'k', ...rights })).body.data.key);
      const limited = await keyWith({ scopes: ['admin', 'read'], facilities: ['north'] });
      const reading = await keyWith({ scopes: ['read', 'configure', 'operate'] });
      for (const caller of [limited, reading]) {
        assert.equal((await caller.get('/v1/export')).status, 403);
        assert.equal((await caller.post('/v1/apply', { version: 1 })).status, 403);
        assert.equal((await postYaml('is not read: [', caller)).status, 403);
      }
    });

    test('that is no document is refused with its place', async () => {
      const broken = await postYaml('version: 1\ndevices: [\n');
      assert.deepEqual([broken.status, broken.body.error.code], [400, 'malformed_yaml']);
      assert.match(broken.body.error.message, /line 3, column 1/);
      assert.equal((await postYaml('')).body.error.code, 'malformed_json');
      assert.equal((await postYaml('version: 2')).body.error.details[0].path, '/version');
      assert.equal((await api.post('/v1/apply', [])).status, 400);
      assert.equal((await apply([], '?dry_run=maybe')).status, 400);
    });

    test('of two at the same time one creates and the other finds it created', async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => apply([silo('raced-1'), silo('raced-2')])));
      const done = answers.filter(({ status }) => status === 200);
      const created = done.map(({ body }) => body.data.created).filter((count: number) => count > 0);
      assert.deepEqual(created, [2]);
      for (const { status, body } of answers)
        if (status !== 200) assert.equal(body.error.code, 'device_exists');
    });
  },
  { GRANARY_WEBHOOK_ALLOW_PRIVATE: 'on' },
);
