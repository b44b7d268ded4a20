import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandName } from '@granary/contract/commands';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { type ScriptedRover, startRover } from '@granary/testing/server/devices/scripted-rover';
import { eventually } from '@granary/testing/server/eventually';
import { missionInHours, TWO_WAYPOINTS } from '@granary/testing/server/missions';
import { type Api, describeLinkService } from '@granary/testing/server/service';

const STOP = { command: 'emergency_stop' };
const RELEASE = { command: 'release_emergency_stop' };

const issue = (api: Api, rover: ScriptedRover, body: unknown, headers = {}) =>
  api.post(`${rover.path}/remote/command`, body, headers);

const statusOf = async (api: Api, rover: ScriptedRover, id: string) =>
  (await api.get(`${rover.path}/remote/commands/${id}`)).body.data.status;

/** Copies of the stop that were sent before its confirmation arrived may come first. */
async function takeNamed(rover: ScriptedRover, name: CommandName): Promise<void> {
  let taken = await rover.take('execute');
  while (taken.name !== name) taken = await rover.take('execute');
}

const unconfirmedAlert = async (api: Api, rover: ScriptedRover): Promise<string> =>
  (await api.get(`${rover.path}/alerts?status=all`)).body.data
    .filter(({ type }: { type: string }) => type === 'emergency_stop_unconfirmed')
    .map(({ severity, status }: { severity: string; status: string }) => `${severity} ${status}`)
    .join();

describeLinkService('emergency stop', (api) => {
  test('is repeated until the device has carried it out', async () => {
    const rover = await startRover(api, 'not-confirming');
    const { command_id: id, expires_at, status } = (await issue(api, rover, STOP)).body.data;
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

  test('is queued for an offline device, and commands that were queued before are cancelled', async () => {
    const rover = await startRover(api, 'offline');
    await rover.leave();
    await eventually(async () => (await api.get(rover.path)).body.data.status, 'offline');
    const hold = (await issue(api, rover, { command: 'hold' })).body.data;
    const stop = (await issue(api, rover, STOP)).body.data;
    assert.deepEqual([hold.status, stop.status], ['queued', 'queued']);
    assert.equal(await statusOf(api, rover, hold.command_id), 'cancelled');
    await eventually(() => unconfirmedAlert(api, rover), 'critical active');
    await rover.reconnect();
    assert.equal((await rover.take('execute')).command_id, stop.command_id);
    await rover.leave();
  });

  test('is repeated when the device refuses it or reports a failure, and raises an alert after 5 s', async () => {
    const rover = await startRover(api, 'refusing');
    await api.put(`${rover.path}/config`, { alarms: { off_delay_s: 0 } });
    const { command_id: id } = (await issue(api, rover, STOP)).body.data;
    const get = async () => (await api.get(`${rover.path}/remote/commands/${id}`)).body.data;
    await rover.take('execute');
    await rover.ack({ command_id: id, accepted: false, reason: 'no brakes' });
    assert.equal((await get()).status, 'sent');
    assert.match((await get()).status_detail, /its last answer: it refused the stop \(no brakes\)/);
    for (const state of ['failed', 'cancelled', 'unknown'] as const) {
      await rover.take('execute');
      await rover.commandProgress({ command_id: id, state });
      assert.deepEqual([(await get()).status, (await get()).result], ['sent', null]);
    }
    await eventually(() => unconfirmedAlert(api, rover), 'critical active');
    await rover.take('execute');
    await rover.commandProgress({ command_id: id, state: 'succeeded' });
    assert.equal((await get()).status, 'succeeded');
    await eventually(() => unconfirmedAlert(api, rover), 'critical cleared');
    await rover.leave();
  });

  test('refuses every movement of the device until it is released', async () => {
    const rover = await startRover(api, 'latched');
    const in2s = { scheduled_start: toIso(Date.now() + 2 * SECOND_MS) };
    const { mission_id } = (await api.post(`${rover.path}/missions`, { ...TWO_WAYPOINTS, ...in2s })).body
      .data;
    const { command_id: id } = (await issue(api, rover, STOP)).body.data;
    const stopInForce = async () => (await api.get(rover.path)).body.data.emergency_stop;
    const refusal = async (body: unknown) => {
      const { status, body: answer } = await issue(api, rover, body);
      return `${status} ${answer.error?.code}`;
    };
    // On a slow machine the stop is answered before it is stored.
    await eventually(async () => (await stopInForce()).active, true);
    assert.equal((await stopInForce()).confirmed, false);
    assert.equal(await refusal(RELEASE), '409 emergency_stop_unconfirmed');
    await rover.take('execute');
    await rover.commandProgress({ command_id: id, state: 'succeeded' });
    const { since, ...rest } = await stopInForce();
    assert.deepEqual(rest, { active: true, confirmed: true, command_id: id });
    assert.ok(Date.parse(since) <= Date.now());
    for (const command of ['resume', 'return_to_base', 'scan', 'collect_sample', 'hold']) {
      assert.equal(await refusal({ command }), '409 emergency_stop_active', command);
    }
    for (const mission of [TWO_WAYPOINTS, missionInHours(1)]) {
      const answer = await api.post(`${rover.path}/missions`, mission);
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'emergency_stop_active']);
    }
    const mission = async () => (await api.get(`${rover.path}/missions/${mission_id}`)).body.data;
    await eventually(async () => (await mission()).status, 'missed');
    assert.equal((await mission()).result.reason, 'emergency_stop_active');
    const release = (await issue(api, rover, RELEASE)).body.data;
    await takeNamed(rover, 'release_emergency_stop');
    assert.deepEqual(await stopInForce(), { active: false, confirmed: false, since: null, command_id: null });
    assert.equal((await issue(api, rover, RELEASE)).status, 200);
    const returning = await issue(api, rover, { command: 'return_to_base' });
    assert.deepEqual([returning.status, returning.body.error.code], [409, 'no_base']);
    assert.equal((await issue(api, rover, { command: 'scan' })).status, 200);
    await takeNamed(rover, 'scan');
    const names = rover.commands.map((sent) => ('name' in sent ? sent.name : sent.command));
    // The mission may be uploaded before the stop is requested; an upload moves nothing.
    const movesNothing = new Set(['emergency_stop', 'report', 'mission_upload']);
    assert.deepEqual(
      names.filter((name) => !movesNothing.has(name)),
      ['release_emergency_stop', 'release_emergency_stop', 'scan'],
    );
    assert.match(release.command_id, /^cmd_/);
    await rover.leave();
  });

  test('requested again before it is confirmed is the same command', async () => {
    const rover = await startRover(api, 'twice');
    const { command_id: first } = (await issue(api, rover, STOP)).body.data;
    assert.equal((await issue(api, rover, STOP)).body.data.command_id, first);
    await rover.commandProgress({ command_id: first, state: 'succeeded' });
    assert.notEqual((await issue(api, rover, STOP)).body.data.command_id, first);
    await rover.leave();
  });

  test('is accepted with unknown fields, invalid parameters and an idempotency key of another request', async () => {
    const rover = await startRover(api, 'invalid-request');
    const key = { 'idempotency-key': 'key of another request' };
    assert.equal((await issue(api, rover, { command: 'scan' }, key)).status, 200);
    for (const [body, headers] of [
      [{ ...STOP, parameters: { latitude: 200 } }, {}],
      [{ ...STOP, reason: 'smoke' }, {}],
      [STOP, key],
    ] as const) {
      const answer = await issue(api, rover, body, headers);
      assert.deepEqual([answer.status, answer.body.data.command], [200, 'emergency_stop'], answer.text);
      assert.deepEqual(answer.body.data.parameters, {});
    }
    await rover.leave();
  });

  test('needs a field device that exists', async () => {
    assert.equal((await api.post('/v1/fielddevice/devices/unknown/remote/command', STOP)).status, 404);
  });
});

describeLinkService(
  'emergency stop under a request limit',
  (api) => {
    test('is never limited; other commands are', async () => {
      const rover = await startRover(api, 'limited');
      const many = (body: unknown) =>
        Promise.all(Array.from({ length: 60 }, () => issue(api, rover, body).then(({ status }) => status)));
      const holds = await many({ command: 'hold' });
      assert.ok(holds.includes(429) && holds.includes(200));
      assert.deepEqual(new Set(await many(STOP)), new Set([200]));
      await rover.leave();
    });
  },
  { GRANARY_RATE_LIMIT: '10' },
);
