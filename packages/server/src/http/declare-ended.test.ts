import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { running } from '@granary/testing/server/missions';
import { describeService } from '@granary/testing/server/service';

const DECLARATION = { reason: 'the controller was replaced', looked_by: 'Ada Lovelace' };

describeService('a job that is declared ended', (api) => {
  const statusOf = async (path: string) => (await api.get(path)).body.data.status;

  test('an operation of a silo that is gone: the record says so, and a late report still counts', async () => {
    const silo = await startSilo(api, 'gone');
    const feed = `${silo.path}/operations/feed`;
    const path = `${silo.path}/operations/${(await api.post(feed, { amount: 100 })).body.data.operation_id}`;
    const operation_id = path.split('/').at(-1) ?? '';
    await silo.take('start');
    await silo.ack({ operation_id, accepted: true });
    const running = await api.post(`${path}/declare-ended`, DECLARATION);
    assert.deepEqual([running.status, running.body.error.code], [409, 'cannot_declare_ended']);
    assert.match(running.body.error.message, /stop it first/);
    await silo.dropConnection();
    await eventually(() => statusOf(path), 'unconfirmed');

    const declared = await api.post(`${path}/declare-ended`, DECLARATION, { 'x-actor': 'Grace' });
    assert.equal(declared.status, 200);
    const { status, failure, declared: by, status_detail } = declared.body.data;
    assert.deepEqual([status, failure.reason], ['failed', 'declared_ended']);
    assert.partialDeepStrictEqual(by, { ...DECLARATION, by: { actor: 'Grace' } });
    assert.match(
      status_detail,
      /declared ended by Ada Lovelace \(the controller was replaced\); the device did not report it/,
    );
    const again = await api.post(`${path}/declare-ended`, { reason: 'other', looked_by: 'Grace' });
    assert.deepEqual(again.body.data.declared, by);
    assert.deepEqual((await api.get(`${silo.path}/operations`)).body.data[0].declared, by);

    await silo.reconnect();
    await silo.publish('telemetry', { ts: Date.now(), weight: 500 });
    await eventually(async () => (await api.post(feed, { amount: 10 })).status, 200);
    await silo.progress({ operation_id, state: 'running', amount_kg: 7 });
    assert.equal((await silo.take('stop')).operation_id, operation_id);
    assert.equal(await statusOf(path), 'stopping');
    await silo.leave();
  });

  test('a command and a mission of a rover that is gone', async () => {
    const rover = await startRover(api, 'away');
    const { id } = await running(api, rover);
    const mission = `${rover.path}/missions/${id}`;
    const { command_id } = (await api.post(`${rover.path}/remote/command`, { command: 'hold' })).body.data;
    const command = `${rover.path}/remote/commands/${command_id}`;
    for (const [path, told] of [
      [mission, /cancel the mission first/],
      [command, /is connected/],
    ] as const) {
      const refused = await api.post(`${path}/declare-ended`, DECLARATION);
      assert.equal(refused.status, 409);
      assert.match(refused.body.error.message, told);
    }
    await rover.dropConnection();
    for (const path of [mission, command]) {
      await eventually(async () => (await api.post(`${path}/declare-ended`, DECLARATION)).status, 200);
      const { status, result, declared } = (await api.get(path)).body.data;
      assert.deepEqual([status, result.reason], ['failed', 'declared_ended']);
      assert.partialDeepStrictEqual(declared, DECLARATION);
    }
  });

  test('needs a reason, the name of who looked, and the scope admin', async () => {
    const silo = await startSilo(api, 'refusing');
    const path = `${silo.path}/operations/op_none/declare-ended`;
    for (const body of [
      {},
      { reason: 'x' },
      { ...DECLARATION, looked_by: '' },
      { ...DECLARATION, reason: 'x'.repeat(201) },
      { ...DECLARATION, reason: 'two\nlines' },
    ]) {
      assert.equal((await api.post(path, body)).body.error.code, 'invalid_input', JSON.stringify(body));
    }
    assert.equal((await api.post(path, DECLARATION)).body.error.code, 'operation_not_found');
    const key = { name: 'operator', scopes: ['read', 'operate', 'configure'] };
    const operator = api.as((await api.post('/v1/keys', key)).body.data.key);
    assert.equal((await operator.post(path, DECLARATION)).status, 403);
    await silo.leave();
  });
});
