import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Endpoint, Example } from '@granary/contract/endpoints/declaration/endpoint';
import { DEFAULT_ADDRESSES, groupRoots } from '@granary/contract/endpoints/declaration/groups';
import { fillPath } from '@granary/contract/endpoints/declaration/parameters';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { SCOPES } from '@granary/contract/keys';
import {
  type Answer,
  type Api,
  describeRequests,
  fieldDeviceNamed,
  siloNamed,
} from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FIELD = '/v1/fielddevice/devices';
const ROOTS = groupRoots(DEFAULT_ADDRESSES);

/** Each has every scope, and may use the devices `own-silo` and `own-rover` in the facility north. */
const LIMITS = {
  'limited to a facility': { facilities: ['north'] },
  'limited to devices': { device_ids: ['own-silo', 'own-rover'] },
  'limited to devices of a facility': { facilities: ['north'], device_ids: ['own-silo', 'own-rover'] },
} as const;

/** What an endpoint without a device in its path does for a limited key. A new endpoint must be added here. */
const WITHOUT_DEVICE: Readonly<Record<string, 'refused' | 'filtered' | 'own' | 'checked below'>> = {
  'devices.silo.list': 'filtered',
  'devices.silo.register': 'checked below',
  'devices.field.list': 'filtered',
  'devices.field.register': 'checked below',
  'fleet.devices': 'filtered',
  'fleet.alerts': 'filtered',
  'fleet.alertStatistics': 'filtered',
  'fleet.acknowledgeAlerts': 'checked below',
  'fleet.operations': 'filtered',
  'fleet.missions': 'filtered',
  'fleet.commands': 'filtered',
  'fleet.overview': 'filtered',
  'fleet.timeZones': 'filtered',
  // `bulk.test.ts`.
  'bulk.change': 'own',
  'bulk.importDevices': 'own',
  'icar.feedStorage': 'filtered',
  'foresight.forecasts': 'filtered',
  'foresight.refills': 'filtered',
  'foresight.findings': 'filtered',
  'foresight.orderList': 'filtered',
  // A refill of another silo is not found: `foresight.test.ts`.
  'foresight.changeRefill': 'own',
  'proposals.list': 'filtered',
  // Its tools are requests to the other endpoints: `mcp.test.ts`.
  'mcp.call': 'own',
  'shifts.notes': 'filtered',
  // `shifts.test.ts`.
  'shifts.addNote': 'own',
  'shifts.removeNote': 'own',
  'shifts.report': 'filtered',
  'shifts.handovers': 'filtered',
  'shifts.handOver': 'own',
  'shifts.acknowledgeHandover': 'own',
  'reports.report': 'filtered',
  // `reports.test.ts`.
  'reports.send': 'own',
  'reports.schedules': 'own',
  'reports.createSchedule': 'own',
  'reports.replaceSchedule': 'own',
  'reports.removeSchedule': 'own',
  // A view belongs to its key, or is shared with all.
  'views.list': 'own',
  'views.create': 'own',
  'views.change': 'own',
  'views.remove': 'own',
  'views.preferences': 'own',
  'views.changePreferences': 'own',
  'alarmHelp.list': 'filtered',
  // `alarm-help.test.ts`.
  'alarmHelp.put': 'own',
  'alarmHelp.remove': 'own',
  // `people.test.ts`.
  'people.list': 'filtered',
  'people.invite': 'own',
  'people.change': 'own',
  'people.renew': 'own',
  'people.disable': 'own',
  'people.unlink': 'own',
  'confirmations.create': 'refused',
  // `terminals.test.ts`.
  'terminals.list': 'filtered',
  'terminals.enrol': 'own',
  'terminals.end': 'own',
  'terminals.people': 'refused',
  'terminals.signIn': 'refused',
  'terminals.stay': 'refused',
  'terminals.lock': 'refused',
  // `bridges.test.ts`.
  'bridges.report': 'own',
  'bridges.list': 'filtered',
  'bridges.get': 'own',
  'bridges.mappings': 'own',
  'bridges.test': 'own',
  'bridges.addDevice': 'own',
  'bridges.give': 'own',
  'bridges.remove': 'own',
  'exports.readings': 'filtered',
  'exports.history': 'filtered',
  'events.stream': 'filtered',
  'readings.stream': 'filtered',
  'audit.list': 'filtered',
  'session.get': 'own',
  'session.end': 'own',
  'session.list': 'own',
  'session.endOne': 'own',
  'session.endOthers': 'own',
  // Of the person who has signed in: `me.test.ts`, `notifications.test.ts`.
  ...Object.fromEntries(
    ALL_ENDPOINTS.filter(({ name }) => /^(me|push)\./.test(name)).map(({ name }) => [name, 'own']),
  ),
  'session.createCode': 'checked below',
  'signOn.policy': 'refused',
  'signOn.putPolicy': 'refused',
  'signOn.provider': 'refused',
  'signOn.signIns': 'refused',
  // Of the person who has signed in.
  'signOn.link': 'own',
  // The sample store has no devices.
  'plants.create': 'own',
  'plants.list': 'own',
  'plants.get': 'own',
  ...Object.fromEntries(
    ALL_ENDPOINTS.filter(({ name }) => /^(keys|webhooks|notifications|site|signOn)\./.test(name)).map(
      ({ name }) => [name, 'refused'],
    ),
  ),
};

const needingKey = ALL_ENDPOINTS.filter(({ endpoint }) => endpoint.needsKey);
const hasDevice = ({ path }: Endpoint): boolean => path.includes('{device_id}');

describeRequests('what limited keys reach', (api) => {
  const keys: Record<string, Api> = {};
  let alertOfOther = '';

  before(async () => {
    for (const [id, facility] of [
      ['own', 'north'],
      ['other', 'south'],
    ] as const) {
      await api.post(SILOS, siloNamed(`${id}-silo`, facility));
      await api.post(FIELD, fieldDeviceNamed(`${id}-rover`, facility));
    }
    for (const [name, limits] of Object.entries(LIMITS)) {
      const issued = await api.post('/v1/keys', { name, scopes: [...SCOPES], ...limits });
      keys[name] = api.as(issued.body.data.key);
    }
    await api.post(`${SILOS}/other-silo/telemetry`, { ts: Date.now(), weight: 5 });
    for (let tries = 0; alertOfOther === '' && tries < 500; tries++) {
      const { data } = (await api.get('/v1/alerts?device_id=other-silo')).body;
      alertOfOther = data[0]?.alert_id ?? '';
      if (alertOfOther === '') await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.notEqual(alertOfOther, '');
  });

  const as = (name: string): Api => {
    const key = keys[name];
    if (key === undefined) throw new Error(`no key ${name}`);
    return key;
  };

  /** The first example of the endpoint, about the device of others. */
  const send = (key: Api, { group, method, path }: Endpoint, example: Example): Promise<Answer> => {
    const deviceId = group === 'field' ? 'other-rover' : 'other-silo';
    const query = new URLSearchParams(example.query as Record<string, string>);
    const url = `${ROOTS[group]}${fillPath(path, { ...example.parameters, device_id: deviceId })}?${query}`;
    const json = example.body === undefined ? {} : { 'content-type': 'application/json' };
    return key.raw(method, url, {
      headers: { ...key.authorization, ...json },
      ...(example.body === undefined ? {} : { body: JSON.stringify(example.body) }),
    });
  };

  test('every endpoint that needs a key either names a device or is in the table', () => {
    const unknown = needingKey.filter(
      ({ name, endpoint }) => !hasDevice(endpoint) && !(name in WITHOUT_DEVICE),
    );
    assert.deepEqual(
      unknown.map(({ name }) => name),
      [],
    );
  });

  for (const limit of Object.keys(LIMITS)) {
    test(`a key ${limit} does not find the devices of others at any endpoint`, async () => {
      for (const { name, endpoint } of needingKey) {
        const [example] = endpoint.examples;
        if (!hasDevice(endpoint) || example === undefined) continue;
        const { status, body } = await send(as(limit), endpoint, example);
        assert.deepEqual([name, status, body.error?.code], [name, 404, 'device_not_found']);
      }
    });

    test(`a key ${limit} cannot use what concerns all facilities`, async () => {
      for (const { name, endpoint } of needingKey) {
        const [example] = endpoint.examples;
        if (WITHOUT_DEVICE[name] !== 'refused' || example === undefined) continue;
        const { status, body } = await send(as(limit), endpoint, example);
        assert.deepEqual([name, status, body.error?.code], [name, 403, 'forbidden']);
      }
    });

    test(`a key ${limit} changes its devices, and moves none to another facility`, async () => {
      for (const path of [`${SILOS}/own-silo`, `${FIELD}/own-rover`]) {
        const away = await as(limit).patch(path, { location: { facility: 'south' } });
        assert.deepEqual([away.status, away.body.error?.code], [403, 'forbidden']);
        assert.match(away.body.error.message, /"north" to "south"/);
        const here = await as(limit).patch(path, { name: limit, location: { facility: 'north', zone: 'z' } });
        assert.deepEqual([here.status, here.body.data?.location], [200, { facility: 'north', zone: 'z' }]);
      }
    });

    test(`a key ${limit} registers no device outside its facilities`, async () => {
      const names = limit === 'limited to a facility' ? ['new-silo', 'new-rover'] : ['own-silo', 'own-rover'];
      const [silo = '', rover = ''] = names;
      for (const [path, wanted] of [
        [SILOS, siloNamed(silo, 'south')],
        [FIELD, fieldDeviceNamed(rover, 'south')],
      ] as const) {
        const { status, body } = await as(limit).post(path, wanted);
        assert.deepEqual([status, body.error?.code], [403, 'forbidden']);
      }
    });

    test(`a key ${limit} acknowledges no alert of others`, async () => {
      const by = { alert_ids: [alertOfOther], acknowledged_by: 'Ada' };
      const { body } = await as(limit).post('/v1/alerts/acknowledge', by);
      assert.equal(body.data.results[0].outcome, 'not_found');
    });

    test(`a session of a key ${limit} has the limits of the key`, async () => {
      const { code } = (await as(limit).post('/v1/session/codes', {})).body.data;
      const signedIn = await as(limit).post('/v1/session', { code });
      const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
      const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      const moved = await api.raw('PATCH', `${SILOS}/own-silo`, {
        headers,
        body: JSON.stringify({ location: { facility: 'south' } }),
      });
      assert.equal(moved.status, 403);
      assert.equal((await api.raw('GET', `${SILOS}/other-silo`, { headers: { cookie } })).status, 404);
      assert.equal((await api.raw('GET', '/v1/keys', { headers: { cookie } })).status, 403);
    });

    test(`a key ${limit} sees only its devices in every list, export and audit`, async () => {
      const range = 'from=2026-01-01T00:00:00Z';
      const lists = [
        'devices',
        'devices?removed=true',
        'alerts',
        'alerts/statistics',
        'operations',
        'missions',
        'commands',
        'overview',
        'audit',
        `readings?${range}`,
        `history?${range}`,
        'notes',
        'proposals',
        'icar/feed-storage',
        'shift-report',
        'handovers',
        'forecasts',
        'refills',
        'findings?result=all',
        'order-list',
        'reports',
        'reports?format=html',
      ];
      const paths = lists.map((list) => `/v1/${list}`);
      for (const path of [`${SILOS}?limit=100`, `${FIELD}?limit=100`, ...paths]) {
        const { status, text } = await as(limit).get(path);
        assert.equal(status, 200, path);
        assert.doesNotMatch(text, /other-(silo|rover)/, path);
      }
    });
  }

  test('a key that names both facilities may move a device between them', async () => {
    const limits = { facilities: ['north', 'south'], device_ids: ['own-silo'] };
    const issued = await api.post('/v1/keys', { name: 'both', scopes: [...SCOPES], ...limits });
    const both = api.as(issued.body.data.key);
    const moved = await both.patch(`${SILOS}/own-silo`, { location: { facility: 'south' } });
    assert.deepEqual([moved.status, moved.body.data?.location.facility], [200, 'south']);
    assert.equal((await as('limited to a facility').get(`${SILOS}/own-silo`)).status, 404);
    assert.equal((await as('limited to devices of a facility').get(`${SILOS}/own-silo`)).status, 404);
    const back = await api.patch(`${SILOS}/own-silo`, { location: { facility: 'north' } });
    assert.equal(back.status, 200);
  });
});
