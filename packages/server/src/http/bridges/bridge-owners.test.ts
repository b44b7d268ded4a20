import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { BridgeRequest } from '@granary/contract/bridges';
import { bridgedDevice, ScriptedBridge } from '@granary/testing/server/scripted-bridge';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SCALE = { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502', unit: 3 };
const DEVICES = Array.from({ length: 10 }, (_, at) => `silo-o${at + 1}`);
const ROUNDS = 20;
const REMOVALS = 4;

describeService('a bridge belongs to a key', (api) => {
  const keyWith = async (body: object) => {
    const { key, key_id } = (await api.post('/v1/keys', { name: 'k', ...body })).body.data;
    return { as: api.as(key), keyId: key_id as string };
  };
  const ingestKey = async () => (await keyWith({ scopes: ['ingest'] })).as;
  const attach = (bridge: ScriptedBridge, device_id: string, more: object = {}, as: Api = api) =>
    as.post(`${bridge.path}/devices`, { device_id, ...SCALE, ...more });

  before(async () => {
    for (const id of DEVICES) await api.post('/v1/siloscale/devices', siloNamed(id));
  });

  test('whoever polls for the bridge of another key gets no secret and can answer nothing', async () => {
    const bridge = new ScriptedBridge(await ingestKey(), 'mill');
    await bridge.report();
    const secrets: string[] = [];
    bridge.answer(({ secret = '' }) => {
      secrets.push(secret);
      return { failure: null };
    });
    const limited = (await keyWith({ scopes: ['ingest'], facilities: ['north'] })).as;
    const stolen: BridgeRequest[] = [];
    const answers = new Set<string>();
    let isOver = false;
    const steal = async (as: Api, session: string): Promise<void> => {
      const thief = new ScriptedBridge(as, 'mill', session);
      for (let at = 0; !isOver; at++) {
        const { status, body } = await thief.report({ wait_s: at % 2 });
        answers.add(`${status} ${body.error?.code}`);
        for (const asked of body.data?.requests ?? []) {
          stolen.push(asked);
          await thief.report({ results: [{ request_id: asked.request_id, failure: null }] });
        }
      }
    };
    const thieves = [steal(limited, 'thief'), steal(await ingestKey(), 'session-1')];
    await Promise.all(
      DEVICES.map(async (deviceId) => {
        for (let round = 0; round < ROUNDS; round++) {
          const { status, text } = await attach(bridge, deviceId);
          assert.equal(status, 200, text);
        }
      }),
    );
    isOver = true;
    await Promise.all(thieves);
    await bridge.stop();
    assert.deepEqual(stolen, []);
    assert.deepEqual([...answers], ['403 bridge_of_another_key']);
    assert.equal(new Set(secrets).size, DEVICES.length * ROUNDS);
  });

  test('a report of another key changes nothing', async () => {
    const bridge = new ScriptedBridge(await ingestKey(), 'quiet');
    await bridge.report({ devices: [bridgedDevice('silo-o1'), bridgedDevice('silo-o2')] });
    const before = (await api.get(bridge.path)).body.data;
    const asked = api.post(`${bridge.path}/tests`, { ...SCALE, wait_s: 1 });
    const [{ request_id }] = (await bridge.report({ wait_s: 5 })).body.data.requests;
    const thief = new ScriptedBridge(
      (await keyWith({ scopes: ['ingest'], device_ids: ['silo-o1'] })).as,
      'quiet',
    );
    for (const more of [
      { session: 'other', devices: [bridgedDevice('silo-o2', { state: 'silent' })] },
      { gone: ['silo-o1'] },
      { results: [{ request_id, failure: null }] },
      { units_of: ['silo-o1'] },
    ]) {
      assert.equal((await thief.report(more)).body.error?.code, 'bridge_of_another_key');
    }
    const other = new ScriptedBridge(await ingestKey(), 'elsewhere');
    await other.report({ results: [{ request_id, failure: null }] });
    assert.equal((await asked).body.error?.code, 'bridge_not_answering');
    const after = (await api.get(bridge.path)).body.data;
    assert.deepEqual({ ...after, reported_at: null }, { ...before, reported_at: null });
  });

  test('a key that is limited to devices reports no others', async () => {
    const { as } = await keyWith({ scopes: ['ingest'], device_ids: ['silo-o1'] });
    const bridge = new ScriptedBridge(as, 'limited');
    assert.equal((await bridge.report({ devices: [bridgedDevice('silo-o1')] })).status, 200);
    for (const deviceId of ['silo-o2', 'not-registered']) {
      const refused = await bridge.report({ devices: [bridgedDevice(deviceId)] });
      assert.equal(refused.body.error?.code, 'forbidden');
    }
    assert.equal((await api.get(bridge.path)).body.data.devices.length, 1);
  });

  test('a bridge that is removed stays that of its key, also while a device is attached to it', async () => {
    const bridge = new ScriptedBridge(await ingestKey(), 'removed');
    const thief = new ScriptedBridge(
      (await keyWith({ scopes: ['ingest'], facilities: ['north'] })).as,
      'removed',
    );
    const alike = new ScriptedBridge(await ingestKey(), 'REMOVED');
    const answers = new Set<string>();
    for (let round = 0; round < REMOVALS; round++) {
      await bridge.report();
      let isOver = false;
      const steal = async (as: ScriptedBridge): Promise<void> => {
        while (!isOver) {
          const { status, body } = await as.report();
          answers.add(`${status} ${body.error?.code}`);
        }
      };
      const stealing = [steal(thief), steal(thief), steal(alike)];
      await Promise.all([attach(bridge, 'silo-o1', { wait_s: 1 }), api.delete(bridge.path)]);
      isOver = true;
      await Promise.all(stealing);
    }
    assert.deepEqual([...answers], ['403 bridge_of_another_key']);
    const { as, keyId } = await keyWith({ scopes: ['ingest'] });
    assert.equal((await api.put('/v1/bridges/REMOVED/key', { key_id: keyId })).status, 200);
    assert.equal((await new ScriptedBridge(as, 'REMOVED').report()).status, 200);
    assert.equal((await bridge.report()).body.error.code, 'bridge_of_another_key');
  });

  test('one key makes few bridges, so others find room', async () => {
    const inventor = await ingestKey();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => new ScriptedBridge(inventor, `invented-${at}`).report()),
    );
    const made = outcomes.flatMap(({ status }, at) => (status === 200 ? [`invented-${at}`] : []));
    assert.equal(made.length, 4);
    await api.delete(`/v1/bridges/${made[0]}`);
    assert.equal((await new ScriptedBridge(inventor, 'invented-instead').report()).status, 200);
    assert.equal((await new ScriptedBridge(await ingestKey(), 'real').report()).status, 200);
  });

  test('a key that replaces another one has its bridges, beside the old one until that ends', async () => {
    const { as, keyId } = await keyWith({ scopes: ['ingest'] });
    const bridge = new ScriptedBridge(as, 'rotated');
    await bridge.report();
    const rotated = (await api.post(`/v1/keys/${keyId}/rotate`, { overlap_seconds: 600 })).body.data;
    assert.equal((await bridge.report()).status, 200);
    const next = new ScriptedBridge(api.as(rotated.key), 'rotated');
    assert.equal((await next.report()).body.data.known, true);
    assert.equal((await api.get(bridge.path)).body.data.key.key_id, rotated.key_id);
    // The same holds while a report waits.
    const waiting = bridge.report({ wait_s: 20 });
    const again = (await api.post(`/v1/keys/${rotated.key_id}/rotate`, { overlap_seconds: 0 })).body.data;
    const asked = api.post(`${bridge.path}/tests`, SCALE);
    const [{ request_id }] = (await waiting).body.data.requests;
    await new ScriptedBridge(api.as(again.key), 'rotated').report({
      results: [{ request_id, failure: null }],
    });
    assert.equal((await asked).status, 200);
  });

  test('a key that was revoked keeps the bridge from others until it is given to another one', async () => {
    const { as, keyId } = await keyWith({ scopes: ['ingest'] });
    const bridge = new ScriptedBridge(as, 'revoked');
    await bridge.report({ devices: [bridgedDevice('silo-o1')] });
    const waiting = bridge.report({ wait_s: 20 });
    await api.delete(`/v1/keys/${keyId}`);
    const attaching = attach(bridge, 'silo-o1', { wait_s: 2 });
    assert.deepEqual((await waiting).body.data?.requests ?? [], []);
    assert.equal((await attaching).body.error.code, 'bridge_not_answering');
    const successor = await keyWith({ scopes: ['ingest'] });
    const next = new ScriptedBridge(successor.as, 'revoked');
    assert.equal((await next.report()).body.error.code, 'bridge_of_another_key');
    assert.deepEqual((await api.get(bridge.path)).body.data.key, { key_id: keyId, name: 'k', ended: true });
    const choice = { key_id: successor.keyId };
    for (const body of [{ scopes: ['read', 'configure'], facilities: ['north'] }, { scopes: ['read'] }]) {
      const { as: other } = await keyWith(body);
      assert.equal((await other.put(`${bridge.path}/key`, choice)).body.error.code, 'forbidden');
    }
    const reader = await keyWith({ scopes: ['read'] });
    for (const key_id of [keyId, reader.keyId, 'none'])
      assert.equal((await api.put(`${bridge.path}/key`, { key_id })).body.error.code, 'key_not_found');
    const { as: engineer } = await keyWith({ scopes: ['configure'] });
    assert.equal((await engineer.put(`${bridge.path}/key`, choice)).status, 200);
    assert.equal((await next.report()).body.data.known, false);
  });

  test('a bridge that is given to another key gives nothing to the former one', async () => {
    const bridge = new ScriptedBridge(await ingestKey(), 'moved');
    await bridge.report();
    const waiting = bridge.report({ wait_s: 20 });
    const successor = await keyWith({ scopes: ['ingest'] });
    await api.put(`${bridge.path}/key`, { key_id: successor.keyId });
    const attaching = attach(bridge, 'silo-o1');
    assert.deepEqual((await waiting).body.data.requests, []);
    const next = new ScriptedBridge(successor.as, 'moved', 'session-1');
    const [{ request_id, secret }] = (await next.report()).body.data.requests;
    assert.ok(secret.length > 20);
    const results = [{ request_id, failure: null }];
    assert.equal((await bridge.report({ results })).body.error.code, 'bridge_of_another_key');
    await next.report({ results });
    assert.equal((await attaching).status, 200);
  });

  test('a secret is handed over once, to the session that lives, and again only where it did not arrive', async () => {
    const key = await ingestKey();
    const old = new ScriptedBridge(key, 'once', 'old');
    await old.report();
    const waiting = old.report({ wait_s: 20 });
    const bridge = new ScriptedBridge(key, 'once', 'new');
    await bridge.report();
    const attaching = attach(bridge, 'silo-o1');
    assert.deepEqual((await waiting).body.data.requests, []);
    const [first] = (await bridge.report({ wait_s: 5 })).body.data.requests;
    assert.deepEqual((await bridge.report()).body.data.requests, []);
    const [second] = (await bridge.report({ missed_answer: true })).body.data.requests;
    assert.equal(second.request_id, first.request_id);
    assert.notEqual(second.secret, first.secret);
    const { request_id } = first;
    assert.deepEqual(
      (await bridge.report({ missed_answer: true, working: [request_id] })).body.data.requests,
      [],
    );
    // A copy of the key begins a session of its own, which gets nothing and ends nothing.
    const copy = new ScriptedBridge(key, 'once', 'copy');
    const results = [{ request_id, failure: null }];
    const [taken, repeated] = [await copy.report({ results }), await copy.report({ missed_answer: true })];
    assert.deepEqual(
      [taken, repeated].map(({ body }) => body.data.requests),
      [[], []],
    );
    await bridge.report({ results });
    assert.equal((await attaching).status, 200);
  });

  test('a name that differs from another one only in capitals is refused', async () => {
    await new ScriptedBridge(await ingestKey(), 'Intake').report();
    const alike = await new ScriptedBridge(await ingestKey(), 'INTAKE').report();
    assert.equal(alike.body.error.code, 'bridge_of_another_key');
    for (const name of ['int%C3%A4ke', 'Intake%20', 'Intake%E2%80%8B'])
      assert.equal((await new ScriptedBridge(await ingestKey(), name).report()).status, 404);
  });

  test('a device beyond the limits of the key is not attached, and whoever asks is told', async () => {
    await api.post('/v1/siloscale/devices', siloNamed('silo-south', 'south'));
    const { as } = await keyWith({ scopes: ['ingest'], facilities: ['north'] });
    const bridge = new ScriptedBridge(as, 'north-only');
    await bridge.report();
    bridge.answer(() => ({ failure: null }));
    const refused = await attach(bridge, 'silo-south');
    assert.equal(refused.body.error.code, 'bridge_refused');
    assert.equal((await attach(bridge, 'silo-o1')).status, 200);
    await bridge.stop();
  });
});
