import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { checkSiteDocument, type SiteDevice, type SiteDocument } from '@granary/contract/site';
import { policyOf } from '../sign-on.ts';
import { appliedRecord, planSite } from './plan-site.ts';
import { type DescribedDevice, siteDevice } from './site-device.ts';
import { siteRule } from './site-rule.ts';
import { siteWebhook } from './site-webhook.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const silo = (number: number, more: Partial<SiteDevice> = {}): SiteDevice => ({
  device_id: `silo-${number}`,
  profile: 'silo_scale',
  name: `Silo ${number}`,
  model: 'GS-100',
  location: { facility: 'north', zone: 'yard' },
  capacity: { max: 20_000, unit: 'kg' },
  ...more,
});
const rover: SiteDevice = {
  device_id: 'rover-1',
  profile: 'rover',
  name: 'Rover 1',
  model: 'FR-7',
  location: { facility: 'north', zone: 'field' },
  sensors: [{ sensor_id: 'co2', type: 'co2', unit: 'ppm', reporting_interval_s: 60 }],
  configuration: { rules: [{ sensor_id: 'co2', above: 900, severity: 'warning' }] },
};

const NOTHING = { newWebhookIds: {}, unreachableUrls: [], canSendMail: true, nowMs: NOW_MS };
const plan = (devices: readonly SiteDevice[], known: readonly DescribedDevice[] = []) =>
  planSite(
    { document: { version: 1, devices: [...devices] }, ...NOTHING },
    {
      devices: new Map(known.map((device) => [device.deviceId, device])),
      webhooks: [],
      rules: [],
      policy: policyOf({}),
    },
  );
const created = (...devices: SiteDevice[]): DescribedDevice[] =>
  plan(devices).devices.map(({ after }) => after);

const issuesOf = (act: () => unknown) => {
  try {
    act();
    return [];
  } catch (error) {
    assert(error instanceof Refusal && error.code === 'apply_refused');
    return error.details?.map(({ path }) => path);
  }
};

describe('a document', () => {
  it('creates the devices that are not there yet', () => {
    const record = appliedRecord(plan([silo(1), rover]), false);
    assert.deepEqual([record.created, record.updated, record.unchanged], [2, 0, 0]);
    assert.deepEqual(record.text, ['+ silo-1', '+ rover-1']);
  });

  it('that was exported is accepted and changes nothing', () => {
    const known = created(silo(1), silo(2, { sensors: [] }), rover);
    const exported = { version: 1 as const, devices: known.map(siteDevice) };
    assert.deepEqual(checkSiteDocument.faults(exported), []);
    const record = appliedRecord(plan(exported.devices, known), true);
    assert.deepEqual([record.dry_run, record.unchanged, record.text], [true, 3, []]);
  });

  it('changes what it names, and nothing else', () => {
    const known = created(silo(1, { firmware_version: '2.0' }), rover);
    const larger = { capacity: { max: 25_000, unit: 'kg' as const } };
    const [changed] = plan(
      [silo(1, { ...larger, configuration: { thresholds: { low_level: 15 } } })],
      known,
    ).devices;
    assert.equal(changed?.action, 'update');
    assert.deepEqual(changed?.differences, [
      { path: '/capacity/max', before: 20_000, after: 25_000 },
      { path: '/configuration/thresholds/low_level', before: 20, after: 15 },
    ]);
    assert.equal(changed?.after.firmwareVersion, '2.0');
    const { name: _, ...rest } = siteDevice(known[1] as DescribedDevice);
    const [renamed] = plan([{ ...rest, name: 'Rover One' }], known).devices;
    assert.deepEqual(renamed?.differences, [{ path: '/name', before: 'Rover 1', after: 'Rover One' }]);
  });

  it('names a list that changes as one value', () => {
    const known = created(rover);
    const [changed] = plan([{ ...rover, sensors: [], configuration: { rules: [] } }], known).devices;
    assert.deepEqual(
      changed?.differences.map(({ path, after }) => [path, after]),
      [
        ['/sensors', []],
        ['/configuration/rules', []],
      ],
    );
  });

  it('is refused as a whole with every fault', () => {
    const [removed, ...others] = created(silo(6), silo(1), rover);
    const known = [...others, ...(removed ? [{ ...removed, removedAtMs: NOW_MS }] : [])];
    const devices = [
      silo(2),
      silo(3, { configuration: { thresholds: { low_level: 90 } } }),
      silo(4, { sensors: [{ sensor_id: 'temperature', type: 'temperature', unit: 'celsius' }] }),
      { ...rover, profile: 'weather_station' as const },
      silo(5, { configuration: { rules: [{ sensor_id: 'none', above: 1, severity: 'info' }] } }),
      silo(6),
    ];
    assert.deepEqual(
      issuesOf(() => plan(devices, known)),
      [
        '/devices/1/configuration/thresholds/low_level',
        '/devices/2/sensors/0/sensor_id',
        '/devices/3/profile',
        '/devices/4/configuration/rules/0/sensor_id',
        '/devices/5',
      ],
    );
    assert.throws(() => plan(devices, known), /low_level .*\(device silo-3\)$/);
  });
});

describe('the schema of a document', () => {
  const faultsOf = (devices: readonly unknown[]) =>
    checkSiteDocument.faults({ version: 1, devices }).map(({ path }) => path);
  const { capacity: _, ...bare } = silo(1);

  it('lists the faults of every device', () => {
    const many = Array.from({ length: 30 }, (_none, index) => ({ ...silo(index), name: 7 }));
    assert.equal(faultsOf(many).length, 30);
  });

  it('finds what depends on the profile and on other devices', () => {
    assert.deepEqual(faultsOf([bare]), ['/devices/0/capacity']);
    assert.deepEqual(faultsOf([{ ...rover, capacity: { max: 1, unit: 'kg' } }]), ['/devices/0/capacity']);
    assert.deepEqual(faultsOf([silo(1), rover, silo(1)]), ['/devices/2/device_id']);
    assert.deepEqual(faultsOf([silo(1, { configuration: { geofence: null } })]), [
      '/devices/0/configuration/geofence',
    ]);
  });

  it('refuses unknown fields, other versions and too many devices', () => {
    const faults = (value: unknown) => checkSiteDocument.faults(value).map(({ path }) => path);
    assert.deepEqual(faults({ version: 2 }), ['/version']);
    assert.deepEqual(faults({ version: 1, device: [] }), ['/device']);
    assert.deepEqual(faults([]), ['']);
    assert.deepEqual(faults(null), ['']);
    assert.equal(
      faults({ version: 1, devices: Array.from({ length: 501 }, (_none, i) => silo(i)) }).length,
      1,
    );
  });
});

describe('webhooks and notification rules in a document', () => {
  const URL = 'https://example.com/hook';
  const rule = {
    name: 'night shift',
    targets: [{ webhook_url: URL }, { email: 'ada@example.com' }],
    escalation: [{ after_minutes: 5, targets: [{ webhook_url: URL }] }],
  };
  const wanted: SiteDocument = {
    version: 1,
    webhooks: [{ url: URL, severities: ['critical'] }],
    notification_rules: [rule],
  };
  const newWebhookIds = { [URL]: 'wh_new' };
  const request = { ...NOTHING, document: wanted, newWebhookIds };
  const none = { devices: new Map(), webhooks: [], rules: [], policy: policyOf({}) };

  it('are created together, and rules find the webhooks of the document', () => {
    const { webhooks, notification_rules: rules } = planSite(request, none);
    assert.deepEqual([webhooks[0]?.action, rules[0]?.action], ['create', 'create']);
    assert.deepEqual(rules[0]?.after.targets, [{ webhook_id: 'wh_new' }, { email: 'ada@example.com' }]);
  });

  it('are unchanged when they are applied again, and the difference names what changed', () => {
    const first = planSite(request, none);
    const stored = {
      webhookNo: 1,
      webhookId: 'wh_old',
      position: 0,
      disabledReason: null,
      failingSinceMs: null,
      deadReportedAtMs: null,
      previousSecretUntilMs: null,
      createdAtMs: 0,
      updatedAtMs: 0,
    };
    const webhooks = first.webhooks.map(({ after }) => ({ ...stored, ...after }));
    const renamed = JSON.parse(
      JSON.stringify(first.notification_rules[0]?.after).replaceAll('wh_new', 'wh_old'),
    );
    const rules = [{ ruleId: 'nr_1', ownerId: null, content: renamed, createdAtMs: 0, updatedAtMs: 0 }];
    const known = { devices: new Map(), webhooks, rules, policy: policyOf({}) };
    assert.equal(appliedRecord(planSite(request, known), false).unchanged, 2);
    const quieter = { ...wanted, notification_rules: [{ ...rule, resolved: false }] };
    const record = appliedRecord(planSite({ ...request, document: quieter }, known), false);
    assert.deepEqual(record.text, ['~ night shift /resolved: true → false']);
    const names = { urlOf: new Map([['wh_old', URL]]), idOf: new Map() };
    const exported = {
      version: 1,
      webhooks: webhooks.map(siteWebhook),
      notification_rules: [siteRule(renamed, names)],
    };
    assert.deepEqual(checkSiteDocument.faults(exported), []);
    const twice = { ...known, webhooks: [...webhooks, ...webhooks] };
    assert.deepEqual(
      issuesOf(() => planSite(request, twice)),
      ['/webhooks/0/url'],
    );
  });

  it('are refused with every fault', () => {
    const other = { ...rule, name: 'other', targets: [{ webhook_url: 'https://example.com/none' }] };
    const zone = { from: '22:00', to: '06:00', time_zone: 'Mars/Base' };
    const document = {
      ...wanted,
      webhooks: [{ url: 'https://user:secret@example.com/' }, { url: URL }],
      notification_rules: [
        rule,
        other,
        { ...rule, name: 'quiet', targets: [{ webhook_url: URL }], quiet_hours: zone },
      ],
    };
    const refused = { ...request, document, canSendMail: false, unreachableUrls: [URL] };
    assert.deepEqual(
      issuesOf(() => planSite(refused, none)),
      [
        '/webhooks/0/url',
        '/webhooks/1/url',
        '/notification_rules/0/targets/1',
        '/notification_rules/1/targets/0',
        '/notification_rules/2/quiet_hours/time_zone',
      ],
    );
  });
});
