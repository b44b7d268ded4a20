import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { type ScriptedRover, startRover } from '../testing/scripted-rover.ts';
import { type Api, describeService } from '../testing/service.ts';

const STOP = { command: 'emergency_stop' };

const give = (api: Api, rover: ScriptedRover, body: unknown, headers = {}) =>
  api.post(`${rover.path}/remote/command`, body, headers);

const statusOf = async (api: Api, rover: ScriptedRover, id: string) =>
  (await api.get(`${rover.path}/remote/commands/${id}`)).body.data.status;

describeService('emergency stop', (api) => {
  test('is repeated until the device has carried it out', async () => {
    const rover = await startRover(api, 'deaf');
    const { command_id: id, expires_at, status } = (await give(api, rover, STOP)).body.data;
    assert.deepEqual([expires_at, status], [null, 'sent']);
    for (let time = 0; time < 3; time++) {
      const sent = await rover.take('execute');
      assert.deepEqual([sent.command_id, sent.name, sent.expires_at], [id, 'emergency_stop', null]);
    }
    await rover.ack({ command_id: id, accepted: true });
    await rover.take('execute');
    await rover.commandProgress({ command_id: id, state: 'succeeded' });
    assert.equal(await statusOf(api, rover, id), 'succeeded');
    await rover.leave();
  });

  test('waits for a device that is away, and what waited before it is not sent any more', async () => {
    const rover = await startRover(api, 'away');
    await rover.leave();
    await eventually(async () => (await api.get(rover.path)).body.data.status, 'offline');
    const scan = (await give(api, rover, { command: 'scan' })).body.data;
    const stop = (await give(api, rover, STOP)).body.data;
    assert.equal(scan.status, 'queued');
    assert.equal(await statusOf(api, rover, scan.command_id), 'cancelled');
    await rover.reconnect();
    await rover.report({ battery_level: 50 });
    assert.equal((await rover.take('execute')).command_id, stop.command_id);
    await rover.leave();
  });

  test('asked for again while it is under way, it is the same', async () => {
    const rover = await startRover(api, 'twice');
    const { command_id: first } = (await give(api, rover, STOP)).body.data;
    assert.equal((await give(api, rover, STOP)).body.data.command_id, first);
    await rover.commandProgress({ command_id: first, state: 'succeeded' });
    assert.notEqual((await give(api, rover, STOP)).body.data.command_id, first);
    await rover.leave();
  });

  test('whatever is sent along: fields, parameters and keys that were used otherwise', async () => {
    const rover = await startRover(api, 'sloppy');
    const key = { 'idempotency-key': 'used otherwise' };
    assert.equal((await give(api, rover, { command: 'scan' }, key)).status, 200);
    for (const [body, headers] of [
      [{ ...STOP, parameters: { latitude: 200 } }, {}],
      [{ ...STOP, reason: 'smoke' }, {}],
      [STOP, key],
    ] as const) {
      const answer = await give(api, rover, body, headers);
      assert.deepEqual([answer.status, answer.body.data.command], [200, 'emergency_stop'], answer.text);
      assert.deepEqual(answer.body.data.parameters, {});
    }
    await rover.leave();
  });

  test('needs a field device that the key may see', async () => {
    assert.equal((await api.post('/v1/fielddevice/devices/nobody/remote/command', STOP)).status, 404);
  });
});

describeService(
  'emergency stop under a request limit',
  (api) => {
    test('is never limited; other commands are', async () => {
      const rover = await startRover(api, 'limited');
      const many = (body: unknown) =>
        Promise.all(Array.from({ length: 60 }, () => give(api, rover, body).then(({ status }) => status)));
      const holds = await many({ command: 'hold' });
      assert.ok(holds.includes(429) && holds.includes(200));
      assert.deepEqual(new Set(await many(STOP)), new Set([200]));
      await rover.leave();
    });
  },
  { GRANARY_RATE_LIMIT: '10' },
);
