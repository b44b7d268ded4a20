import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_NAMES } from '@granary/contract/commands';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { HOME, type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeService } from '@granary/testing/server/service';

const MOVE = {
  command: 'move_to_coordinates',
  parameters: { latitude: 48.201, longitude: 16.301, altitude: 170 },
};

const at = (api: Api, rover: ScriptedRover) => ({
  issue: (body: unknown, headers = {}) => api.post(`${rover.path}/remote/command`, body, headers),
  get: async (id: string) => (await api.get(`${rover.path}/remote/commands/${id}`)).body.data,
  statusOf: async (id: string) => (await api.get(`${rover.path}/remote/commands/${id}`)).body.data.status,
});

describeService('commands', (api) => {
  test('a move is sent once and follows the reports of the device to its end', async () => {
    const rover = await startRover(api, 'moving');
    const { issue, get, statusOf } = at(api, rover);
    const { status, body } = await issue(MOVE);
    const { command_id: id, ...record } = body.data;
    assert.equal(status, 200);
    assert.match(id, /^cmd_/);
    assert.deepEqual(
      [record.command, record.parameters, record.status],
      [MOVE.command, MOVE.parameters, 'sent'],
    );
    assert.deepEqual([record.ended_at, record.result], [null, null]);
    const { command_id, name, parameters, expires_at } = await rover.take('execute');
    assert.deepEqual(
      { command_id, name, parameters },
      { command_id: id, name: MOVE.command, parameters: MOVE.parameters },
    );
    assert.equal(expires_at, record.expires_at);
    await rover.ack({ command_id: id, accepted: true });
    assert.equal(await statusOf(id), 'executing');
    await rover.commandProgress({ command_id: id, state: 'executing' });
    await rover.commandProgress({ command_id: id, state: 'succeeded' });
    const done = await get(id);
    assert.deepEqual([done.status, done.result], ['succeeded', null]);
    assert.ok(done.ended_at >= done.sent_at);
    assert.equal(rover.commands.filter(({ command }) => command === 'execute').length, 1);
    await rover.leave();
  });

  test('every command name is accepted', async () => {
    const rover = await startRover(api, 'every-command');
    const { latitude, longitude } = MOVE.parameters;
    assert.equal((await api.put(`${rover.path}/config`, { base: { latitude, longitude } })).status, 200);
    for (const command of COMMAND_NAMES) {
      const body = command === 'move_to_coordinates' ? MOVE : { command };
      const { status, text, body: answer } = await at(api, rover).issue(body);
      assert.equal(status, 200, text);
      const { command_id } = answer.data;
      if (command === 'emergency_stop') await rover.commandProgress({ command_id, state: 'succeeded' });
    }
    await rover.leave();
  });

  test('the device decides the result: refused, failed, cancelled', async () => {
    const rover = await startRover(api, 'refusing');
    const { issue, get } = at(api, rover);
    const next = async (): Promise<string> => (await issue({ command: 'scan' })).body.data.command_id;
    const refused = await next();
    await rover.ack({ command_id: refused, accepted: false, reason: 'no lens' });
    assert.deepEqual((await get(refused)).result, {
      reason: 'refused',
      message: 'no lens',
      message_code: 'device_said',
      message_values: { words: 'no lens' },
    });
    assert.equal((await get(refused)).status, 'rejected');
    const failed = await next();
    await rover.commandProgress({ command_id: failed, state: 'failed', reason: 'too dark' });
    assert.deepEqual((await get(failed)).result, {
      reason: 'device_fault',
      message: 'too dark',
      message_code: 'device_said',
      message_values: { words: 'too dark' },
    });
    const cancelled = await next();
    await rover.commandProgress({ command_id: cancelled, state: 'cancelled' });
    assert.equal((await get(cancelled)).status, 'cancelled');
    await rover.leave();
  });

  const invalid: Record<string, readonly [unknown, RegExp]> = {
    'an unknown command': [{ command: 'fly' }, /must be one of move_to_coordinates, hold, resume/],
    'no command': [{ parameters: {} }, /\/command is required/],
    'a list': [[], /./],
    'no parameters': [{ command: 'move_to_coordinates' }, /\/parameters is required/],
    'a position without altitude': [
      { command: MOVE.command, parameters: { latitude: 1, longitude: 1 } },
      /\/parameters\/altitude is required/,
    ],
    'beyond the pole': [{ ...MOVE, parameters: { ...MOVE.parameters, latitude: 90.01 } }, /latitude/],
    'beyond the antimeridian': [
      { ...MOVE, parameters: { ...MOVE.parameters, longitude: -180.5 } },
      /longitude/,
    ],
    'a latitude as text': [{ ...MOVE, parameters: { ...MOVE.parameters, latitude: '48' } }, /latitude/],
    'an unknown parameter': [
      { ...MOVE, parameters: { ...MOVE.parameters, speed: 9 } },
      /\/parameters\/speed is not a known/,
    ],
    'parameters for a command without': [{ command: 'hold', parameters: { latitude: 1 } }, /not a known/],
    'an unknown field': [{ command: 'hold', force: true }, /\/force is not a known/],
  };
  test('an invalid request is refused with its reason', async () => {
    const rover = await startRover(api, 'strict');
    for (const [what, [body, reason]] of Object.entries(invalid)) {
      const answer = await at(api, rover).issue(body);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'invalid_input'], what);
      const details: readonly ValidationIssue[] = answer.body.error.details;
      assert.match(details.map(({ path, message }) => `${path} ${message}`).join('; '), reason, what);
    }
    assert.equal(rover.commands.length, 0);
    await rover.leave();
  });

  test('a command that causes movement is refused while the device is offline; others are queued', async () => {
    const rover = await startRover(api, 'offline');
    const { issue, statusOf } = at(api, rover);
    await rover.leave();
    await eventually(async () => (await api.get(rover.path)).body.data.status, 'offline');
    for (const body of [MOVE, { command: 'resume' }, { command: 'return_to_base' }]) {
      const answer = await issue(body);
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'device_offline']);
    }
    const held = (await issue({ command: 'hold' })).body.data;
    assert.deepEqual([held.status, held.sent_at], ['queued', null]);
    await rover.reconnect();
    await rover.report({ battery_level: 50 });
    assert.equal((await rover.take('execute')).command_id, held.command_id);
    assert.equal(await statusOf(held.command_id), 'sent');
    await rover.leave();
  });

  test('a move outside the geofence and a command during maintenance are refused, an emergency stop is not', async () => {
    const rover = await startRover(api, 'fenced');
    const { issue } = at(api, rover);
    const [lat, lng] = [HOME.latitude, HOME.longitude];
    const geofence = [
      { lat: lat - 0.01, lng: lng - 0.01 },
      { lat: lat - 0.01, lng: lng + 0.01 },
      { lat: lat + 0.01, lng: lng },
    ];
    assert.equal((await api.put(`${rover.path}/config`, { geofence })).status, 200);
    assert.equal((await issue(MOVE)).status, 200);
    const outside = await issue({ ...MOVE, parameters: { ...MOVE.parameters, latitude: lat + 0.02 } });
    assert.deepEqual([outside.status, outside.body.error.code], [422, 'outside_geofence']);
    await rover.publish('status', { state: 'maintenance' });
    const inMaintenance = await issue({ command: 'scan' });
    assert.deepEqual([inMaintenance.status, inMaintenance.body.error.code], [409, 'device_in_maintenance']);
    assert.equal((await issue({ command: 'emergency_stop' })).status, 200);
    await rover.leave();
  });

  test('commands are listed newest first, by status and by command', async () => {
    const rover = await startRover(api, 'listed');
    const { issue } = at(api, rover);
    const ids: string[] = [];
    for (const command of ['scan', 'hold', 'scan'])
      ids.unshift((await issue({ command })).body.data.command_id);
    await rover.commandProgress({ command_id: ids[0] ?? '', state: 'succeeded' });
    const list = async (query: string) => (await api.get(`${rover.path}/remote/commands${query}`)).body;
    const listed = async (query: string) =>
      (await list(query)).data.map(({ command_id }: { command_id: string }) => command_id);
    assert.deepEqual(await listed(''), ids);
    assert.deepEqual(await listed('?status=succeeded'), [ids[0]]);
    assert.deepEqual(await listed('?command=hold'), [ids[1]]);
    const first = await list('?limit=2');
    assert.deepEqual(await listed(`?limit=2&cursor=${first.page.next_cursor}`), [ids[2]]);
    for (const query of ['?status=lost', '?command=fly', '?limit=0', '?colour=green']) {
      assert.equal((await api.get(`${rover.path}/remote/commands${query}`)).status, 400, query);
    }
    await rover.leave();
  });

  test('a command of another device and an unknown command are not found', async () => {
    const rover = await startRover(api, 'own-command');
    const other = await startRover(api, 'other-device');
    const { command_id } = (await at(api, rover).issue({ command: 'hold' })).body.data;
    for (const path of [
      `${other.path}/remote/commands/${command_id}`,
      `${rover.path}/remote/commands/cmd_none`,
    ]) {
      const answer = await api.get(path);
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'command_not_found']);
    }
    await other.commandProgress({ command_id, state: 'succeeded' });
    await other.ack({ command_id: 'cmd_none', accepted: true });
    assert.equal((await api.get(`${other.path}/rejections`)).body.data.total, 2);
    assert.equal(await at(api, rover).statusOf(command_id), 'sent');
    await rover.leave();
    await other.leave();
  });

  test('a request that is repeated with its idempotency key is carried out once', async () => {
    const rover = await startRover(api, 'once');
    const key = { 'idempotency-key': 'scan it' };
    const [first, second] = [
      await at(api, rover).issue({ command: 'scan' }, key),
      await at(api, rover).issue({ command: 'scan' }, key),
    ];
    assert.equal(second.body.data.command_id, first.body.data.command_id);
    assert.equal((await at(api, rover).issue({ command: 'hold' }, key)).status, 422);
    await rover.take('execute');
    assert.equal(rover.commands.length, 1);
    await rover.leave();
  });

  test('needs the scope operate', async () => {
    const rover = await startRover(api, 'needs-operate');
    const { key } = (await api.post('/v1/keys', { name: 'k', scopes: ['read', 'configure'] })).body.data;
    for (const command of ['hold', 'emergency_stop']) {
      assert.equal((await at(api.as(key), rover).issue({ command })).status, 403);
    }
    assert.equal((await api.as(key).get(`${rover.path}/remote/commands`)).status, 200);
    await rover.leave();
  });
});
