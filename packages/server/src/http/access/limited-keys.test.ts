import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SCOPES } from '@granary/contract/keys';
import { type Api, describeRequests, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FIELD = '/v1/fielddevice/devices';

/** Each of these keys has every scope, and may use the devices `own-silo` and `own-rover` in the facility north. */
const LIMITS = {
  'limited to a facility': { facilities: ['north'] },
  'limited to devices': { device_ids: ['own-silo', 'own-rover'] },
  'limited to devices of a facility': { facilities: ['north'], device_ids: ['own-silo', 'own-rover'] },
} as const;

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

  for (const limit of Object.keys(LIMITS)) {
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
