import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { BridgedDevice, BridgeReport } from '@granary/contract/bridges';
import { cookieOf, OWN_PAGE, signedIn, signIn } from '@granary/testing/server/people';
import { bridgedDevice, ScriptedBridge } from '@granary/testing/server/scripted-bridge';
import { type Answer, type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SECRET = 'BSECRET';
const MAPPING = {
  name: 'bsecret-scale',
  version: 1,
  title: SECRET,
  protocol: 'modbus',
  source: '',
  profile: null,
  evidence: 'documented',
  channels: [],
  sensors: [],
};
const FAILURE: BridgedDevice['last_failure'] = {
  code: 'timeout',
  detail: `${SECRET} at the scale`,
  at: '2026-11-18T04:00:00Z',
  points: ['weight'],
};
const REPORTED: Partial<BridgeReport> = {
  site: {
    file: `/home/${SECRET}/site.yaml`,
    loaded_at: null,
    faults: [{ line: 2, message: `${SECRET}: /devices/2 silo-s at tcp://10.0.4.20:502` }],
  },
  journal: {
    readings: 7,
    bytes: 9,
    oldest_at: null,
    dropped: 1,
    fault: `${SECRET} is full`,
    gaps: [{ device_id: 'silo-s', from: '2026-11-18T04:00:00Z', to: '2026-11-18T05:00:00Z', readings: 1 }],
  },
  mappings: [MAPPING],
};
const ENDPOINT = `tcp://${SECRET.toLowerCase()}:502`;
const attached = (id: string, changes: Partial<BridgedDevice> = {}) =>
  bridgedDevice(id, { endpoint: ENDPOINT, last_failure: FAILURE, ...changes });

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

interface Caller {
  readonly ask: Ask;
  /** The devices that the caller sees, by bridge; a bridge that the caller may not see has no entry. */
  readonly sees: Readonly<Record<string, readonly string[]>>;
  readonly seesAll?: true;
  /** The devices of which the caller is told the place and the exact fault. */
  readonly seesPlaceOf?: readonly string[];
}

const NORTH = { mixed: ['silo-n'] };
const ALL = { mixed: ['not-registered', 'silo-n', 'silo-s'], southern: ['silo-s'], empty: [] };

describeService('what callers see of bridges', (api) => {
  const callers: Record<string, Caller> = {};
  const callerNamed = (name: string): Ask => {
    const caller = callers[name];
    assert.ok(caller, name);
    return caller.ask;
  };

  const asking =
    (as: Api): Ask =>
    (method, path, body) =>
      as.raw(method, path, {
        headers: {
          ...as.authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
  const keyWith = async (body: object) => {
    const { key } = (await api.post('/v1/keys', { name: 'k', ...body })).body.data;
    return asking(api.as(key));
  };
  const screen = async (kind: 'terminal' | 'display', facilities: string[]): Promise<Ask> => {
    const { code } = (await api.post('/v1/terminals', { name: kind, kind, facilities })).body.data;
    const cookie = cookieOf(await signIn(api, { code }));
    return (method, path) => api.raw(method, path, { headers: { ...OWN_PAGE, cookie } });
  };
  const person = async (grants: object[]): Promise<Ask> => (await signedIn(api, grants)).ask;

  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-n', 'north'));
    await api.post('/v1/siloscale/devices', siloNamed('silo-s', 'south'));
    const { key } = (await api.post('/v1/keys', { name: 'bridges', scopes: ['ingest', 'read'] })).body.data;
    await new ScriptedBridge(api.as(key), 'mixed').report({
      ...REPORTED,
      devices: [
        attached('silo-n', { state: 'silent' }),
        attached('silo-s'),
        attached('not-registered', { state: 'waiting' }),
      ],
    });
    const others = (await api.post('/v1/keys', { name: 'others', scopes: ['ingest'] })).body.data;
    const other = (id: string) => new ScriptedBridge(api.as(others.key), id);
    await other('southern').report({ ...REPORTED, devices: [attached('silo-s')] });
    await other('empty').report(REPORTED);

    Object.assign(callers, {
      'a key of everything': { ask: asking(api), sees: ALL, seesAll: true },
      'a key that configures': {
        ask: await keyWith({ scopes: ['read', 'configure'] }),
        sees: ALL,
        seesAll: true,
      },
      'an administrator': { ask: await person([{ role: 'administrator' }]), sees: ALL, seesAll: true },
      'a key that reads': { ask: await keyWith({ scopes: ['read'] }), sees: ALL },
      'the key of a bridge': { ask: asking(api.as(key)), sees: ALL },
      'a viewer': { ask: await person([{ role: 'viewer' }]), sees: ALL },
      'a display of all facilities': {
        ask: await screen('display', ['north', 'south']),
        sees: { mixed: ['silo-n', 'silo-s'], southern: ['silo-s'] },
      },
      'a display of a facility': { ask: await screen('display', ['north']), sees: NORTH },
      'a terminal of a facility': { ask: await screen('terminal', ['north']), sees: NORTH },
      'a key of a facility': { ask: await keyWith({ scopes: ['read'], facilities: ['north'] }), sees: NORTH },
      'a key of a device': { ask: await keyWith({ scopes: ['read'], device_ids: ['silo-n'] }), sees: NORTH },
      'a key of a device elsewhere': {
        ask: await keyWith({ scopes: ['read'], facilities: ['south'], device_ids: ['silo-n'] }),
        sees: {},
      },
      'a key of a device that is not registered': {
        ask: await keyWith({ scopes: ['read'], device_ids: ['not-registered'] }),
        sees: {},
      },
      'an engineer of a facility': {
        ask: await person([{ role: 'engineer', facilities: ['north'] }]),
        sees: NORTH,
        seesPlaceOf: ['silo-n'],
      },
      'an engineer of a facility who reads everything': {
        ask: await person([{ role: 'engineer', facilities: ['north'] }, { role: 'viewer' }]),
        sees: ALL,
        seesPlaceOf: ['silo-n'],
      },
      'a viewer of two areas': {
        ask: await person([
          { role: 'viewer', facilities: ['north'] },
          { role: 'viewer', device_ids: ['silo-s'] },
        ]),
        sees: { mixed: ['silo-n', 'silo-s'], southern: ['silo-s'] },
      },
    } satisfies Record<string, Caller>);
  });

  const textOf = ({ body }: Answer): string => JSON.stringify(body).toLowerCase();

  test('lists: only bridges with devices of theirs, and figures of these', async () => {
    for (const [name, { ask, sees, seesAll }] of Object.entries(callers)) {
      const answer = await ask('GET', '/v1/bridges');
      assert.equal(answer.status, 200, name);
      const listed = answer.body.data as { bridge_id: string; devices: { total: number } }[];
      const counted = Object.fromEntries(listed.map(({ bridge_id, devices }) => [bridge_id, devices.total]));
      const expected = Object.entries(sees).map(([id, devices]) => [id, devices.length]);
      assert.deepEqual(counted, Object.fromEntries(expected), name);
      for (const bridge of listed) assertParts(bridge, seesAll === true, name);
      if (seesAll) continue;
      assert.equal(textOf(answer).includes(SECRET.toLowerCase()), false, `${name}: ${answer.text}`);
      assert.equal(textOf(answer).includes('silo-s'), false, name);
    }
    const { body } = await callerNamed('a key of a facility')('GET', '/v1/bridges');
    assert.deepEqual(body.data[0].devices, {
      total: 1,
      answering: 0,
      silent: 1,
      waiting: 0,
      unit_differs: 0,
    });
  });

  test('one bridge: devices of theirs, and only with the right to configure where they are', async () => {
    for (const [name, { ask, sees, seesAll = false, seesPlaceOf = [] }] of Object.entries(callers)) {
      for (const id of ['mixed', 'southern', 'empty', 'none']) {
        const answer = await ask('GET', `/v1/bridges/${id}`);
        const what = `${name}, ${id}: ${answer.text}`;
        const expected = sees[id];
        if (expected === undefined) {
          assert.equal(answer.body.error?.code, 'bridge_not_found', what);
          continue;
        }
        assertParts(answer.body.data, seesAll, what);
        const devices: BridgedDevice[] = answer.body.data.devices;
        assert.deepEqual(
          devices.map(({ device_id }) => device_id),
          expected,
          what,
        );
        for (const { device_id, endpoint, unit, last_failure } of devices) {
          const isWhole = seesAll || seesPlaceOf.includes(device_id);
          const { code, detail } = last_failure ?? {};
          assert.deepEqual(
            { endpoint, unit, code, detail },
            isWhole
              ? { endpoint: ENDPOINT, unit: 3, code: 'timeout', detail: FAILURE?.detail }
              : { endpoint: null, unit: null, code: 'timeout', detail: null },
            what,
          );
        }
      }
    }
  });

  test('mappings: whoever may attach devices', async () => {
    for (const [name, { ask, sees, seesAll }] of Object.entries(callers)) {
      for (const id of ['mixed', 'southern', 'none']) {
        const answer = await ask('GET', `/v1/bridges/${id}/mappings`);
        const { status } = answer;
        const what = `${name}, ${id}: ${answer.text}`;
        if (seesAll) assert.equal(status, id === 'none' ? 404 : 200, what);
        // A caller who may configure nothing is refused before the bridge is looked for.
        else assert.ok(status === 403 || (status === 404 && sees[id] === undefined), what);
        if (!seesAll) assert.equal(textOf(answer).includes(SECRET.toLowerCase()), false, what);
      }
    }
  });

  test('writes: a bridge without devices of theirs is not there', async () => {
    const engineer = callerNamed('an engineer of a facility');
    const scale = { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502', wait_s: 0 };
    for (const id of ['southern', 'none']) {
      for (const [method, path, body] of [
        ['POST', 'tests', { device_id: 'silo-n' }],
        ['POST', 'tests', scale],
        ['POST', 'devices', { device_id: 'silo-n', ...scale }],
        ['DELETE', 'devices/silo-n', undefined],
        ['DELETE', '', undefined],
      ] as const) {
        const answer = await engineer(method, `/v1/bridges/${id}/${path}`.replace(/\/$/, ''), body);
        assert.equal(answer.body.error?.code, 'bridge_not_found', `${method} ${id}/${path}: ${answer.text}`);
      }
    }
    const forbidden = await engineer('POST', '/v1/bridges/mixed/tests', scale);
    assert.equal(forbidden.body.error?.code, 'forbidden');
    const configuring = await keyWith({ scopes: ['configure'] });
    const unknown = await configuring('DELETE', '/v1/bridges/southern/devices/none');
    assert.equal(unknown.body.error?.code, 'device_not_found');
  });

  test('reports: nobody but its key is told anything', async () => {
    const report = { ...REPORTED, session: 's', version: '1', started_at: '2026-11-18T04:00:00Z' };
    const other = await keyWith({ scopes: ['ingest'] });
    for (const [name, ask] of [
      ['another key', other],
      ['a limited key', await keyWith({ scopes: ['ingest'], facilities: ['north'] })],
    ] as const) {
      for (const path of ['', '/mixed', '/mixed/mappings']) {
        assert.equal((await ask('GET', `/v1/bridges${path}`)).status, 403, name);
      }
      const refused = await ask('POST', '/v1/bridges/mixed/report', report);
      assert.equal(refused.body.error?.code, 'bridge_of_another_key', name);
      assert.equal(textOf(refused).includes(SECRET.toLowerCase()), false);
    }
    const { status, text } = await api.raw('GET', '/v1/bridges', {});
    assert.deepEqual([status, text.includes(SECRET)], [401, false]);
  });

  test('a device that moves to another facility is seen there at once', async () => {
    const reader = callerNamed('a key of a facility');
    assert.equal((await reader('GET', '/v1/bridges/southern')).status, 404);
    const place = { location: { facility: 'north', zone: 'z' } };
    const moved = await api.patch('/v1/siloscale/devices/silo-s', place);
    assert.equal(moved.status, 200, moved.text);
    assert.equal((await reader('GET', '/v1/bridges/southern')).status, 200);
    assert.equal((await reader('GET', '/v1/bridges')).body.data.length, 2);
  });
});

/** The parts that belong to the whole bridge are there, or all of them are left out. */
function assertParts(bridge: object, isWhole: boolean, what: string): void {
  for (const part of ['site', 'journal', 'key']) {
    const value = (bridge as Record<string, unknown>)[part];
    assert.equal(value !== null, isWhole, `${what}: ${part} ${JSON.stringify(value)}`);
  }
}
