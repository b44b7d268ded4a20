import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { STOP_RESEND_MS } from '@granary/core/jobs/polling';
import { describeEachEngine } from '@granary/testing/app/engines';
import { NOW_MS, readyFieldDevice, readySilo, tickDue } from '@granary/testing/app/fixtures';
import type { SentMessage } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import type { SetAside } from '../unreadable-row.ts';

const UNKNOWN_STATUS = '{"v":1,"deviceNo":1,"status":"flying"}';
/** A time that can be read but not written as a date, so that a decision about the operation throws. */
const TIME_BEYOND_DATES_MS = 8.65e15;

let lastId = 0;

describeEachEngine('one row that cannot be used', (engine) => {
  let app: App;
  before(async () => {
    app = await engine.open();
  });

  const stoppingSilo = async (): Promise<{ deviceNo: number; id: string }> => {
    const deviceNo = await readySilo(app);
    const id = `op_aside_${++lastId}`;
    const request = { amount: 100 };
    await app.operations.start({
      deviceNo,
      operationId: id,
      type: 'feed',
      request,
      isReachable: true,
      nowMs: NOW_MS,
    });
    await app.operations.stop({ deviceNo, operationId: id, nowMs: NOW_MS });
    return { deviceNo, id };
  };

  const damage = (table: string, id: string, body: string) =>
    engine.query(`UPDATE ${table}s SET body = '${body}' WHERE ${table}_id = '${id}'`);

  const stopsIn = (sends: readonly SentMessage[]) =>
    sends.flatMap(({ message }) => (message.command === 'stop' ? [message.operation_id] : []));

  const idsOf = (items: readonly SetAside[]) => items.map(({ kind, id }) => `${kind} ${id}`).toSorted();

  it('is set aside, and the stops of all others are sent again', async () => {
    const healthy = [await stoppingSilo(), await stoppingSilo()];
    const [broken, unknown, undecidable] = [await stoppingSilo(), await stoppingSilo(), await stoppingSilo()];
    await damage('operation', broken.id, '{"deviceNo":');
    await damage('operation', unknown.id, UNKNOWN_STATUS);
    const newer = await stoppingSilo();
    const newerDocument = { ...(await app.operations.find(newer.deviceNo, newer.id)), v: 1_000 };
    await damage('operation', newer.id, JSON.stringify(newerDocument));
    const state = await app.operations.find(undecidable.deviceNo, undecidable.id);
    const withImpossibleTime = {
      v: 1,
      ...state,
      status: 'in_progress',
      startedAtMs: TIME_BEYOND_DATES_MS,
      lastHeardAtMs: NOW_MS,
    };
    await damage('operation', undecidable.id, JSON.stringify(withImpossibleTime));
    const { sends, setAside } = await tickDue(app, 'operations', NOW_MS + STOP_RESEND_MS);
    assert.deepEqual(
      stopsIn(sends),
      healthy.map(({ id }) => id),
    );
    assert.deepEqual(idsOf(setAside), [
      `operation ${broken.id}`,
      `operation ${unknown.id}`,
      `operation ${newer.id}`,
    ]);
    const later = await tickDue(app, 'operations', NOW_MS + MINUTE_MS);
    assert.ok(idsOf(later.setAside).includes(`operation ${undecidable.id}`));
    assert.equal(stopsIn(later.sends).length, healthy.length);
  });

  it('with damaged declared sensors does not keep the stop of its silo from being sent again', async () => {
    const silos = [await stoppingSilo(), await stoppingSilo()];
    const [damaged] = silos;
    await engine.query(`UPDATE devices SET sensors = '{"sensors":' WHERE device_no = ${damaged?.deviceNo}`);
    const { sends } = await tickDue(app, 'operations', NOW_MS + STOP_RESEND_MS);
    for (const { id } of silos) assert.ok(stopsIn(sends).includes(id), id);
    const again = { deviceNo: damaged?.deviceNo ?? 0, operationId: damaged?.id ?? '', nowMs: NOW_MS + 1 };
    assert.equal((await app.operations.stop(again))?.operation?.status, 'stopping');
  });

  it('can still be stopped, and takes its end from the report of the device', async () => {
    const { deviceNo, id } = await stoppingSilo();
    await damage('operation', id, UNKNOWN_STATUS);
    const startRequest = { deviceNo, operationId: 'op_aside_next', type: 'feed', isReachable: true } as const;
    await assert.rejects(
      app.operations.start({ ...startRequest, request: { amount: 1 }, nowMs: NOW_MS }),
      new RegExp(id),
    );
    const stopped = await app.operations.stop({ deviceNo, operationId: id, nowMs: NOW_MS });
    assert.deepEqual([stopped?.operation.status, stopped?.send], ['stopping', 'stop']);
    await damage('operation', id, '{');
    const progress = { operation_id: id, state: 'stopped', amount_kg: 7, ts: NOW_MS } as const;
    await app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS });
    const ended = await app.operations.find(deviceNo, id);
    assert.deepEqual([ended?.status, ended?.amountCompletedG], ['stopped', 7_000]);
  });

  it('does not shorten the pages of a list', async () => {
    const deviceNo = await readySilo(app);
    const ids = ['a', 'b', 'c', 'd'].map((name) => `${name}-${deviceNo}`);
    for (const id of ids) {
      const progress = { operation_id: id, state: 'completed', amount_kg: 1, ts: NOW_MS } as const;
      await app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS });
    }
    await damage('operation', ids[2] ?? '', '{');
    const page = { deviceNo, status: null, type: null, beforeOperationId: null, limit: 3 };
    const listed = (await app.operations.list(page)).map(({ operationId }) => operationId);
    assert.deepEqual(listed, [ids[3], ids[1], ids[0]]);
  });

  it('of a field device does not keep the others from being sent', async () => {
    const nowMs = NOW_MS + SECOND_MS;
    const devices = [await readyFieldDevice(app), await readyFieldDevice(app), await readyFieldDevice(app)];
    const ids: string[] = [];
    for (const deviceNo of devices) {
      const commandId = `cmd_aside_${++lastId}`;
      await app.commands.issue({
        deviceNo,
        commandId,
        request: { command: 'emergency_stop' },
        isReachable: true,
        nowMs: NOW_MS,
      });
      ids.push(commandId);
    }
    const [broken = '', ...others] = ids;
    await damage('command', broken, UNKNOWN_STATUS);
    await engine.query(`UPDATE configurations SET body = '{' WHERE device_no = ${devices[2]}`);
    const { sends, setAside } = await tickDue(app, 'field', nowMs + STOP_RESEND_MS);
    const commandsSent = sends.map(({ message }) => ('command_id' in message ? message.command_id : ''));
    assert.deepEqual(commandsSent, others);
    assert.deepEqual(
      setAside.map(({ kind }) => kind),
      ['command'],
    );
  });
});
