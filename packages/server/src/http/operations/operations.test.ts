import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const FEED = { amount: 100, unit: 'kg', rate: 50, rate_unit: 'kg/min' };

/** A silo that has received the start of a feed, and the id of the operation. */
async function feeding(
  api: Api,
  deviceId: string,
): Promise<{ silo: ScriptedSilo; id: string; path: string }> {
  const silo = await startSilo(api, deviceId);
  const id = (await api.post(`${silo.path}/operations/feed`, FEED)).body.data.operation_id;
  await silo.take('start');
  return { silo, id, path: `${silo.path}/operations/${id}` };
}

describeService('operations', (api) => {
  const recordOf = async (path: string) => (await api.get(path)).body.data;
  const statusOf = async (path: string): Promise<string> => (await recordOf(path)).status;

  test('a feed follows the reports of the device from its start to its end', async () => {
    const silo = await startSilo(api, 'feeding');
    const started = await api.post(`${silo.path}/operations/feed`, FEED);
    assert.equal(started.status, 200);
    const { operation_id: id, ...answer } = started.body.data;
    assert.match(id, /^op_/);
    assert.deepEqual(answer, { status: 'started', estimated_duration: 2, duration_unit: 'minutes' });
    const path = `${silo.path}/operations/${id}`;

    const { expires_at, ...command } = Object(await silo.take('start'));
    assert.deepEqual(command, {
      command: 'start',
      operation_id: id,
      type: 'feed',
      amount_kg: 100,
      rate_kg_per_min: 50,
      max_amount_kg: 102,
      max_duration_s: 240,
    });
    assert.ok(Date.parse(expires_at) > Date.now());
    await silo.ack({ operation_id: id, accepted: true });
    assert.equal(await statusOf(path), 'in_progress');
    await silo.progress({ operation_id: id, state: 'running', amount_kg: 40 });
    const running = await recordOf(path);
    assert.deepEqual(
      [running.type, running.progress, running.amount_target, running.amount_completed],
      ['feed', 40, 100, 40],
    );
    assert.ok(Date.parse(running.estimated_completion) > Date.parse(running.started_at));
    await silo.progress({ operation_id: id, state: 'completed', amount_kg: 100 });
    const done = await recordOf(path);
    assert.deepEqual([done.status, done.progress, done.failure], ['completed', 100, null]);
    await silo.leave();
  });

  test('a discharge is answered in the units of the request', async () => {
    const silo = await startSilo(api, 'discharging');
    const request = { amount: 0.1, unit: 't', rate: 3, rate_unit: 't/h', target_container: 'truck 7' };
    const { operation_id: id } = (await api.post(`${silo.path}/operations/discharge`, request)).body.data;
    const command = Object(await silo.take('start'));
    assert.deepEqual([command.type, command.amount_kg, command.rate_kg_per_min], ['discharge', 100, 50]);
    assert.equal(command.target_container, 'truck 7');
    const record = await recordOf(`${silo.path}/operations/${id}`);
    assert.deepEqual(
      [record.amount_target, record.unit, record.rate, record.rate_unit, record.target_container],
      [0.1, 't', 3, 't/h', 'truck 7'],
    );
    await silo.leave();
  });

  test('a plan starts nothing and has the refusal of the start', async () => {
    const silo = await startSilo(api, 'planning');
    const plan = async (request: object) => await api.post(`${silo.path}/operations/plan`, request);
    const fine = (await plan({ type: 'feed', ...FEED })).body.data;
    assert.deepEqual([fine.estimated_duration, fine.refusal], [2, null]);
    assert.ok(fine.level_after > fine.level_before);
    const tooMuch = (await plan({ type: 'discharge', amount: 900, unit: 't' })).body.data;
    assert.equal(tooMuch.refusal.code, 'insufficient_stock');
    assert.equal((await plan({ type: 'feed', amount: -1 })).status, 400);
    assert.equal((await plan({ type: 'feed', amount: 1, rate_units: 'kg/min' })).status, 400);
    assert.deepEqual((await api.get(`${silo.path}/operations`)).body.data, []);
    await silo.leave();
  });

  test('the trace of an operation has its steps, and after its end the end', async () => {
    const { silo, id, path } = await feeding(api, 'traced');
    await silo.ack({ operation_id: id, accepted: true });
    await silo.progress({ operation_id: id, state: 'completed', amount_kg: 100 });
    const { steps, status } = await recordOf(`${path}/trace`);
    assert.equal(status, 'completed');
    assert.deepEqual(
      steps
        .map(({ step }: { step: string }) => step)
        .filter((step: string) => step !== 'moved' && step !== 'measured'),
      ['requested', 'checked', 'sent', 'acknowledged', 'reported', 'completed'],
    );
    assert.equal((await api.get(`${silo.path}/operations/op_none/trace`)).status, 404);
    await silo.leave();
  });

  const refusals: readonly [string, object, number, string][] = [
    ['a rate over the limit', { ...FEED, rate: 1e6 }, 422, 'rate_exceeds_limit'],
    ['more than the free capacity', { ...FEED, amount: 501 }, 422, 'insufficient_capacity'],
    ['an amount of zero', { ...FEED, amount: 0 }, 400, 'invalid_input'],
    ['an unknown unit', { ...FEED, unit: 'stone' }, 400, 'invalid_input'],
    ['an unknown field', { ...FEED, speed: 1 }, 400, 'invalid_input'],
    ['no amount', {}, 400, 'invalid_input'],
    ['no body', [], 400, 'invalid_input'],
  ];
  test('a start that is not allowed is refused, and nothing is sent to the device', async () => {
    const silo = await startSilo(api, 'refused-starts');
    for (const [name, body, status, code] of refusals) {
      const refused = await api.post(`${silo.path}/operations/feed`, body);
      assert.deepEqual([refused.status, refused.body.error.code], [status, code], name);
    }
    const tooMuch = { ...FEED, amount: 501, target_container: 'truck' };
    const refused = await api.post(`${silo.path}/operations/discharge`, tooMuch);
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'insufficient_stock']);
    assert.equal((await api.post(`${silo.path}/operations/discharge`, FEED)).status, 400);
    assert.equal((await api.post('/v1/siloscale/devices/unknown/operations/feed', FEED)).status, 404);
    assert.deepEqual((await api.get(`${silo.path}/operations`)).body.data, []);

    await silo.publish('status', { state: 'maintenance' });
    const maintained = await api.post(`${silo.path}/operations/feed`, FEED);
    assert.deepEqual([maintained.status, maintained.body.error.code], [409, 'device_in_maintenance']);
    await silo.dropConnection();
    const errorCode = async () => (await api.post(`${silo.path}/operations/feed`, FEED)).body.error.code;
    await eventually(errorCode, 'device_offline');
    assert.deepEqual(silo.commands, []);
  });

  test('a start is refused without a recent weight', async () => {
    const silo = await startSilo(api, 'unweighed', null);
    const errorCode = async () => (await api.post(`${silo.path}/operations/feed`, FEED)).body.error.code;
    assert.equal(await errorCode(), 'reading_stale');
    await silo.publish('telemetry', { ts: Date.now() - 61_000, weight: 500 });
    assert.equal(await errorCode(), 'reading_stale');
    await silo.leave();
  });

  const registered = async (deviceId: string) =>
    (await api.post('/v1/siloscale/devices', siloNamed(deviceId))).body.data.credentials;

  test('a start on a silo that reports only over HTTP is refused with this reason', async () => {
    await registered('http-only');
    const path = '/v1/siloscale/devices/http-only';
    await api.post(`${path}/telemetry`, { ts: Date.now(), weight: 500 });
    assert.equal((await api.get(path)).body.data.status, 'online');
    const refused = await api.post(`${path}/operations/feed`, FEED);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'device_offline']);
    assert.match(
      refused.body.error.message,
      /sends readings, but is not connected for commands \(it needs MQTT/,
    );
    assert.deepEqual((await api.get(`${path}/operations`)).body.data, []);
  });

  test('operations are listed newest first, by status, by type and by page', async () => {
    const silo = await startSilo(api, 'listed');
    const ids: string[] = [];
    for (const type of ['feed', 'discharge', 'feed']) {
      const more = type === 'feed' ? {} : { target_container: 'truck' };
      const started = await api.post(`${silo.path}/operations/${type}`, { ...FEED, ...more });
      const { operation_id: id } = started.body.data;
      ids.unshift(id);
      await silo.take('start');
      if (ids.length < 3) await silo.ack({ operation_id: id, accepted: false, reason: 'no' });
    }
    const list = async (query: string): Promise<string[]> =>
      (await api.get(`${silo.path}/operations${query}`)).body.data.map(
        (operation: { operation_id: string }) => operation.operation_id,
      );
    assert.deepEqual(await list(''), ids);
    assert.deepEqual(await list('?type=discharge'), [ids[1]]);
    assert.deepEqual(await list('?status=failed'), ids.slice(1));
    assert.deepEqual(await list('?status=started&type=feed'), [ids[0]]);
    const first = (await api.get(`${silo.path}/operations?limit=2`)).body;
    const rest = (await api.get(`${silo.path}/operations?limit=2&cursor=${first.page.next_cursor}`)).body;
    assert.deepEqual(
      [...first.data, ...rest.data].map(({ operation_id }) => operation_id),
      ids,
    );
    assert.equal(rest.page.next_cursor, null);
    assert.equal((await api.get(`${silo.path}/operations?status=unknown`)).status, 400);
    assert.equal((await api.get(`${silo.path}/operations?cursor=!`)).status, 400);
    assert.equal(
      (await api.get(`${silo.path}/operations/op_nothing`)).body.error.code,
      'operation_not_found',
    );
    await silo.leave();
  });

  test('an operation that the device refuses has failed, and the next start is accepted', async () => {
    const { silo, id, path } = await feeding(api, 'jammed');
    await silo.ack({ operation_id: id, accepted: false, reason: 'the gate is jammed' });
    const { status, failure } = await recordOf(path);
    assert.deepEqual(
      [status, failure],
      [
        'failed',
        {
          reason: 'refused',
          message: 'the gate is jammed',
          message_code: 'device_said',
          message_values: { words: 'the gate is jammed' },
        },
      ],
    );
    assert.equal((await api.post(`${silo.path}/operations/feed`, FEED)).status, 200);
    await silo.leave();
  });

  test('without a link the status is unconfirmed; after the reconnect the reports of the device decide', async () => {
    const { silo, id, path } = await feeding(api, 'lost');
    await silo.ack({ operation_id: id, accepted: true });
    await silo.dropConnection();
    await eventually(() => statusOf(path), 'unconfirmed');
    await silo.reconnect();
    await silo.progress({ operation_id: id, state: 'running', amount_kg: 60 });
    assert.equal(await statusOf(path), 'in_progress');
    await silo.progress({ operation_id: id, state: 'completed', amount_kg: 100 });
    assert.equal(await statusOf(path), 'completed');
    assert.equal(silo.commands.filter(({ command }) => command === 'start').length, 1);
    await silo.leave();
  });

  test('a device that lost its memory leads to an unknown outcome, with the weight that the scale measured', async () => {
    const { silo, id, path } = await feeding(api, 'rebooted');
    await silo.ack({ operation_id: id, accepted: true });
    await silo.progress({ operation_id: id, state: 'running', amount_kg: 250 });
    await silo.progress({ operation_id: id, state: 'running', amount_kg: 60 });
    assert.equal((await recordOf(path)).amount_completed, 60);
    await silo.weigh(698);
    await eventually(async () => (await recordOf(path)).measured_amount, 198);
    await silo.progress({ operation_id: id, state: 'unknown', amount_kg: 0 });
    const { status, failure, amount_completed, progress, measured_amount } = await recordOf(path);
    assert.deepEqual([status, failure.reason], ['failed', 'outcome_unknown']);
    assert.deepEqual([amount_completed, progress, measured_amount], [null, null, null]);
    assert.match(failure.message, /while it ran, the scale showed 198 kg moved/);
    await silo.weigh(701);
    await eventually(async () => (await recordOf(path)).measured_amount, 201);
    const weighed = await recordOf(path);
    assert.match(weighed.failure.message, /the scale shows 201 kg moved/);
    assert.match(weighed.status_detail, /the scale shows 201 kg moved/);
    assert.equal(weighed.amount_completed, null);
    await silo.leave();
  });

  test('invalid reports of the device are rejected and change nothing', async () => {
    const { silo, id, path } = await feeding(api, 'invalid-reports');
    const other = await startSilo(api, 'other-silo');
    await silo.ack({ operation_id: id, accepted: true });
    await silo.publish('progress', 'not json');
    await silo.progress({ operation_id: id, state: 'running', amount_kg: -1 });
    await silo.publish('progress', { operation_id: id, state: 'running', percent: 120, amount_kg: 1, ts: 1 });
    await silo.ack({ operation_id: 'op_unknown', accepted: true });
    await other.progress({ operation_id: id, state: 'completed', amount_kg: 100 });
    await other.ack({ operation_id: id, accepted: false });
    assert.equal((await api.get(`${silo.path}/rejections`)).body.data.total, 4);
    assert.equal((await api.get(`${other.path}/rejections`)).body.data.total, 2);
    const { status, amount_completed } = await recordOf(path);
    assert.deepEqual([status, amount_completed], ['in_progress', 0]);
    assert.equal((await api.get(`${other.path}/operations/${id}`)).status, 404);
    await silo.leave();
    await other.leave();
  });

  test('an unsolicited operation is listed, raises an alert and can be stopped', async () => {
    const silo = await startSilo(api, 'manual');
    await silo.progress({ operation_id: 'by-hand', type: 'discharge', state: 'running', amount_kg: 5 });
    const [listed] = (await api.get(`${silo.path}/operations`)).body.data;
    assert.deepEqual([listed.operation_id, listed.origin, listed.type], ['by-hand', 'device', 'discharge']);
    const alerts = async () =>
      (await api.get(`${silo.path}/alerts`)).body.data.map(({ type }: { type: string }) => type).join();
    await eventually(alerts, 'operation_failed');
    const [alert] = (await api.get(`${silo.path}/alerts`)).body.data;
    assert.equal(alert.severity, 'info');
    assert.match(alert.message, /started at the device, not through this service/);
    assert.equal(
      (await api.post(`${silo.path}/operations/feed`, FEED)).body.error.code,
      'operation_in_progress',
    );
    const stopped = await api.post(`${silo.path}/operations/by-hand/stop`);
    assert.equal(stopped.body.data.status, 'stopping');
    await silo.take('stop');
    await silo.progress({ operation_id: 'by-hand', state: 'stopped', amount_kg: 6 });
    assert.equal(await statusOf(`${silo.path}/operations/by-hand`), 'stopped');
    await silo.leave();
  });

  test('a field device has no operations', async () => {
    const { capacity: _, ...field } = siloNamed('rover');
    await api.post('/v1/fielddevice/devices', field);
    assert.equal((await api.post('/v1/fielddevice/devices/rover/operations/feed', FEED)).status, 404);
    assert.equal((await api.post('/v1/siloscale/devices/rover/operations/feed', FEED)).status, 404);
  });
});
