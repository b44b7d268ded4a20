import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeLinkService } from '@granary/testing/server/service';

const FEED = { amount: 100, rate: 50 };

async function feeding(api: Api, deviceId: string) {
  const silo = await startSilo(api, deviceId);
  const id: string = (await api.post(`${silo.path}/operations/feed`, FEED)).body.data.operation_id;
  await silo.take('start');
  const path = `${silo.path}/operations/${id}`;
  const stop = async () => (await api.post(`${path}/stop`)).body.data.status;
  const status = async () => (await api.get(path)).body.data.status;
  return { silo, id, path, stop, status };
}

describeLinkService('stop', (api) => {
  test('before the device has acknowledged the start', async () => {
    const { silo, id, stop, status } = await feeding(api, 'before');
    assert.equal(await stop(), 'stopping');
    assert.deepEqual(await silo.take('stop'), { command: 'stop', operation_id: id });
    await silo.ack({ operation_id: id, accepted: true });
    assert.equal(await status(), 'stopping');
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 0 });
    assert.equal(await status(), 'stopped');
    await silo.leave();
  });

  test('while the operation runs, twice, and again after its end', async () => {
    const { silo, id, stop, status } = await feeding(api, 'during');
    await silo.ack({ operation_id: id, accepted: true });
    assert.deepEqual([await stop(), await stop()], ['stopping', 'stopping']);
    await silo.take('stop');
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 42 });
    assert.equal(await status(), 'stopped');
    const sent = silo.commands.length;
    assert.equal(await stop(), 'stopped');
    // A stop that is not stored at once is sent before it is known whether anything runs.
    const further = silo.commands.slice(sent).map((command) => Object(command).command);
    assert.deepEqual(
      further.filter((command) => command !== 'stop'),
      [],
    );
    await silo.leave();
  });

  test('is repeated until the device confirms it', async () => {
    const { silo, id, stop, status } = await feeding(api, 'not-confirming');
    await silo.ack({ operation_id: id, accepted: true });
    await stop();
    for (let time = 0; time < 3; time++) await silo.take('stop');
    assert.equal(await status(), 'stopping');
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 42 });
    assert.equal(await status(), 'stopped');
    await silo.leave();
  });

  test('is sent by the service when the device refused an operation and reports it as running', async () => {
    const { silo, id, status } = await feeding(api, 'moving-after-refusal');
    await silo.ack({ operation_id: id, accepted: false, reason: 'no' });
    await silo.progress({ operation_id: id, state: 'running', amount_kg: 1 });
    await silo.take('stop');
    assert.equal(await status(), 'stopping');
    await silo.leave();
  });

  test('waits for a device that is disconnected', async () => {
    const { silo, id, stop, status } = await feeding(api, 'disconnected');
    await silo.dropConnection();
    assert.equal(await stop(), 'stopping');
    await silo.reconnect();
    await silo.publish('status', { state: 'online' });
    await silo.take('stop');
    await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 0 });
    await eventually(status, 'stopped');
    await silo.leave();
  });

  test('is accepted with any body, content type and idempotency key', async () => {
    const { silo, path } = await feeding(api, 'any-body');
    const key = { 'idempotency-key': 'key of another request' };
    const other = await startSilo(api, 'any-body-2');
    assert.equal((await api.post(`${other.path}/operations/feed`, FEED, key)).status, 200);
    for (const [headers, body] of [
      [{ 'content-type': 'application/json' }, ''],
      [{ 'content-type': 'application/json' }, '{'],
      [{ 'content-type': 'text/plain' }, 'please'],
      [key, ''],
    ] as const) {
      const stopped = await api.raw('POST', `${path}/stop`, {
        headers: { ...api.authorization, ...headers },
        body,
      });
      assert.equal(stopped.status, 200, stopped.text);
    }
    await silo.leave();
    await other.leave();
  });

  test('needs an operation of this silo, and the scope operate', async () => {
    const { silo, path } = await feeding(api, 'needs-operate');
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read', 'configure'] })).body.data;
    assert.equal((await api.as(key).post(`${path}/stop`)).status, 403);
    const missing = await api.post(`${silo.path}/operations/op_nothing/stop`);
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'operation_not_found']);
    assert.equal((await api.post('/v1/siloscale/devices/unknown/operations/op_1/stop')).status, 404);
    await silo.leave();
  });
});

describeLinkService(
  'stop under a request limit',
  (api) => {
    test('is never limited', async () => {
      const { silo, path } = await feeding(api, 'limited');
      const answers = await Promise.all(Array.from({ length: 200 }, () => api.get(path)));
      assert.ok(answers.some(({ status }) => status === 429));
      const stops = await Promise.all(Array.from({ length: 60 }, () => api.post(`${path}/stop`)));
      assert.ok(stops.every(({ status }) => status === 200));
      await silo.leave();
    });
  },
  { GRANARY_RATE_LIMIT: '10' },
);
