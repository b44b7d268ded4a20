import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { OperationProgress } from '@granary/contract/link/messages';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { STOP_RESEND_MS } from '@granary/core/jobs/polling';
import { STOP_CONFIRMATION_MS_MAX } from '@granary/core/operations/declared-end';
import { operationRecord } from '@granary/core/operations/record';
import { ACK_TIMEOUT_MS } from '@granary/core/operations/transitions';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  NOW_MS,
  newId,
  readyFieldDevice,
  readySilo,
  tickDue,
  weigh,
} from '@granary/testing/app/fixtures';
import { effectsDuring, sentIn } from '@granary/testing/app/recorded-effects';
import type { App } from '../app.ts';
import { UNSOLICITED_AT_ONCE_MAX } from './operations.ts';

const feed = (app: App, deviceNo: number, operationId = newId('op'), amount = 100) =>
  app.operations.start({
    deviceNo,
    operationId,
    type: 'feed',
    request: { amount },
    isReachable: true,
    nowMs: NOW_MS,
  });

const progressOf = (
  operationId: string,
  state: OperationProgress['state'],
  amountKg = 0,
): OperationProgress => ({
  operation_id: operationId,
  state,
  amount_kg: amountKg,
  ts: NOW_MS + amountKg,
});

describeEachEngine('operations', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const report = (deviceNo: number, progress: OperationProgress, nowMs = NOW_MS) =>
    app.operations.progressed({ deviceNo, progress, nowMs });

  const statusEvents = async (deviceNo: number): Promise<unknown[]> =>
    (await eventsOfDevice(app, deviceNo))
      .filter(({ type }) => type === 'operation.status_changed')
      .map(({ data }) => data['status']);

  it('plans with the refusal of a start, and starts nothing', async () => {
    const deviceNo = await readySilo(app);
    const plan = async (isReachable: boolean) =>
      await app.operations.plan({
        deviceNo,
        request: { type: 'feed', amount: 1 },
        isReachable,
        shiftMs: 8 * HOUR_MS,
        nowMs: NOW_MS,
      });
    assert.equal((await plan(true)).refusal, null);
    assert.equal((await plan(false)).refusal?.code, 'device_offline');
    await feed(app, deviceNo);
    assert.equal((await plan(true)).refusal?.code, 'operation_in_progress');
    assert.deepEqual((await statusEvents(deviceNo)).length, 1);
  });

  it('warns of more than ten times what this silo completed', async () => {
    const deviceNo = await readySilo(app);
    const plan = async (amount: number) => {
      const wanted = { deviceNo, request: { type: 'feed', amount }, isReachable: true } as const;
      const planned = await app.operations.plan({ ...wanted, shiftMs: 8 * HOUR_MS, nowMs: NOW_MS });
      return [planned.usual_amount, planned.warnings];
    };
    for (const amount of [20, 20, 30, 20, 20]) {
      assert.deepEqual(await plan(3_000), [null, []]);
      const operationId = newId('op');
      await feed(app, deviceNo, operationId, amount);
      await report(deviceNo, progressOf(operationId, 'completed', amount));
    }
    assert.deepEqual(await plan(200), [20, []]);
    assert.deepEqual(await plan(201), [20, ['far_above_usual']]);
  });

  it('starts an operation, with its message and its event', async () => {
    const deviceNo = await readySilo(app);
    const { result, effects } = await effectsDuring(app, () => feed(app, deviceNo));
    const { operation } = result;
    assert.equal(operation.status, 'started');
    assert.equal(operation.weightAtStartG, 5_000_000);
    assert.deepEqual(
      effects.map(({ kind }) => kind),
      ['send_message', 'events_logged'],
    );
    const { operationId: operation_id } = operation;
    assert.partialDeepStrictEqual(sentIn(effects)[0], {
      deviceNo,
      message: { command: 'start', operation_id, amount_kg: 100 },
    });
    assert.deepEqual(await app.operations.find(deviceNo, operation.operationId), operation);
    assert.deepEqual(await statusEvents(deviceNo), ['started']);
  });

  it('neither stores nor logs a start that is refused', async () => {
    const deviceNo = await readySilo(app);
    const operationId = newId('op');
    await assert.rejects(feed(app, deviceNo, operationId, 5_001), isRefusal('insufficient_capacity'));
    assert.equal(await app.operations.find(deviceNo, operationId), undefined);
    assert.deepEqual(await statusEvents(deviceNo), []);
    const fieldNo = await readyFieldDevice(app);
    await assert.rejects(feed(app, fieldNo), isRefusal('not_supported'));
    assert.equal((await report(fieldNo, progressOf('op_unknown', 'running'))).kind, 'unknown_reference');
  });

  it('accepts one of two hundred parallel starts', async () => {
    const deviceNo = await readySilo(app);
    const starts = Array.from({ length: 200 }, (_, n) => feed(n % 2 ? app : other, deviceNo));
    const outcomes = await Promise.allSettled(starts);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(refused.length, 199);
    // On a slow machine the last ones wait longer than the time limit of a call to the storage.
    const isExpectedRefusal = (reason: unknown) =>
      isRefusal('operation_in_progress')(reason) || isRefusal('storage_unavailable')(reason);
    assert(refused.every(isExpectedRefusal));
    assert.deepEqual(await statusEvents(deviceNo), ['started']);
  });

  it('has the database itself refuse a second operation that claims the device', async () => {
    const deviceNo = await readySilo(app);
    await feed(app, deviceNo);
    const columns = 'operation_id, device_no, status, claims_device, is_finished, advanced_at_ms, body';
    const values = `'op_second', ${deviceNo}, 'started', 1, 0, 0, '{}'`;
    await assert.rejects(engine.query(`INSERT INTO operations (${columns}) VALUES (${values})`), /unique/i);
  });

  it('follows the reports of the device to the end, and then accepts the next start', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    const ack = { operation_id: operationId, accepted: true };
    const outcome = await app.operations.acknowledged({ deviceNo, ack, nowMs: NOW_MS + 1 });
    assert.deepEqual(outcome, { kind: 'applied' });
    await report(deviceNo, progressOf(operationId, 'running', 40));
    assert.equal((await app.operations.find(deviceNo, operationId))?.amountCompletedG, 40_000);
    await report(deviceNo, progressOf(operationId, 'completed', 100));
    assert.deepEqual(await statusEvents(deviceNo), ['started', 'in_progress', 'completed']);
    await feed(app, deviceNo);
  });

  it('stops an operation at any time, sends the stop once, and finds only operations of the device', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    const stop = (of: number) => app.operations.stop({ deviceNo: of, operationId, nowMs: NOW_MS + 1 });
    const stops = await Promise.all([stop(deviceNo), stop(deviceNo), stop(deviceNo)]);
    assert.deepEqual(
      stops.map((stopped) => stopped?.operation.status),
      Array(3).fill('stopping'),
    );
    assert.deepEqual(stops.map((stopped) => stopped?.send).toSorted(), ['stop', null, null].toSorted());
    await report(deviceNo, progressOf(operationId, 'stopped', 7));
    const after = await stop(deviceNo);
    assert.deepEqual([after?.operation.status, after?.send], ['stopped', null]);
    assert.deepEqual(await statusEvents(deviceNo), ['started', 'stopping', 'stopped']);
    assert.equal(await stop(await readySilo(app)), undefined);
  });

  it('applies no report on an operation of another device, and no acknowledgement of an unknown operation', async () => {
    const deviceNo = await readySilo(app);
    const otherDeviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    const outcomes = [
      await report(otherDeviceNo, progressOf(operationId, 'completed', 100)),
      await app.operations.acknowledged({
        deviceNo: otherDeviceNo,
        ack: { operation_id: operationId, accepted: false },
        nowMs: NOW_MS,
      }),
      await app.operations.acknowledged({
        deviceNo,
        ack: { operation_id: 'op_unknown', accepted: true },
        nowMs: NOW_MS,
      }),
    ];
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['unknown_reference', 'unknown_reference', 'unknown_reference'],
    );
    assert.equal((await app.operations.find(deviceNo, operationId))?.status, 'started');
    assert.equal(await app.operations.find(otherDeviceNo, operationId), undefined);
  });

  it('raises an alert when the device still reports running some time after the stop request', async () => {
    const deviceNo = await readySilo(app);
    const { operation } = await feed(app, deviceNo);
    const { operationId } = operation;
    await report(deviceNo, progressOf(operationId, 'running', 3));
    await app.operations.stop({ deviceNo, operationId, nowMs: NOW_MS });
    await report(deviceNo, progressOf(operationId, 'running', 4), NOW_MS + SECOND_MS);
    const alertsAt = async (nowMs: number) => {
      await app.alerts.evaluateDue({ nowMs, limit: 1_000 });
      const open = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
      return open.map(({ type, severity, cause }) => [type, severity, cause]);
    };
    assert.deepEqual(await alertsAt(NOW_MS + STOP_CONFIRMATION_MS_MAX - 1), []);
    const overdue = await alertsAt(NOW_MS + STOP_CONFIRMATION_MS_MAX);
    assert.deepEqual(overdue, [['operation_failed', 'critical', operationId]]);
  });

  it('stores an unsolicited operation, raises an alert, and can stop it', async () => {
    const deviceNo = await readySilo(app);
    const operationId = `local-${deviceNo}`;
    await report(deviceNo, progressOf(operationId, 'running', 3));
    const [alert] = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
    assert.deepEqual([alert?.type, alert?.severity], ['operation_failed', 'info']);
    await assert.rejects(feed(app, deviceNo), isRefusal('operation_in_progress'));
    const stopped = await app.operations.stop({ deviceNo, operationId, nowMs: NOW_MS });
    assert.equal(stopped?.send, 'stop');
  });

  it('stores an unsolicited operation beside its own, and none that the device reports as unknown', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    await report(deviceNo, progressOf(`beside-${deviceNo}`, 'running'));
    assert.deepEqual(await report(deviceNo, progressOf(`denied-${deviceNo}`, 'unknown')), {
      kind: 'applied',
    });
    const page = { deviceNo, status: null, type: null, beforeOperationId: null, limit: 10 };
    const listed = (await app.operations.list(page)).map((operation) => operation.operationId);
    assert.deepEqual(listed, [`beside-${deviceNo}`, operationId]);
  });

  it('stops an operation that the device reports as running after its end, also while the next is under way', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    await report(deviceNo, progressOf(operationId, 'completed', 100));
    await feed(app, deviceNo);
    const running = progressOf(operationId, 'running', 101);
    const { result, effects } = await effectsDuring(app, () => report(deviceNo, running));
    assert.deepEqual(result, { kind: 'applied' });
    assert.deepEqual(
      sentIn(effects).map(({ message }) => message),
      [{ command: 'stop', operation_id: operationId }],
    );
    assert.equal((await app.operations.find(deviceNo, operationId))?.status, 'stopping');
  });

  it('limits the number of unsolicited operations of a device', async () => {
    const deviceNo = await readySilo(app);
    const kinds: string[] = [];
    for (let n = 0; n <= UNSOLICITED_AT_ONCE_MAX; n++) {
      kinds.push((await report(deviceNo, progressOf(`unsolicited-${deviceNo}-${n}`, 'running'))).kind);
    }
    assert.deepEqual(kinds, [...Array(UNSOLICITED_AT_ONCE_MAX).fill('applied'), 'unknown_reference']);
  });
});

describeEachEngine('ticks of operations', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const tick = async (at: App, nowMs: number, limit = 100) =>
    (await tickDue(at, 'operations', nowMs, { limit })).sends.map(({ message }) => [
      message.command,
      'operation_id' in message ? message.operation_id : '',
    ]);

  it('make a start without acknowledgement unconfirmed, request one report, and finish after the weighing', async () => {
    assert.deepEqual(await tick(app, NOW_MS), []);
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    assert.deepEqual(await tick(app, NOW_MS + 1), []);
    const lateMs = NOW_MS + ACK_TIMEOUT_MS;
    const sent = (await Promise.all([tick(app, lateMs), tick(other, lateMs)])).flat();
    assert.deepEqual(sent, [['report', operationId]]);
    assert.deepEqual(await tick(app, lateMs), []);
    assert.equal((await app.operations.find(deviceNo, operationId))?.status, 'unconfirmed');
    const progress = progressOf(operationId, 'completed', 100);
    await app.operations.progressed({ deviceNo, progress, nowMs: lateMs });
    await weigh(app, deviceNo, 5_100, lateMs + 1);
    await tick(app, lateMs + 2);
    assert.equal((await app.operations.find(deviceNo, operationId))?.measuredG, 100_000);
    assert.deepEqual(await engine.query('SELECT COUNT(*) FROM operations WHERE is_finished = 0'), [[0]]);
  });

  it('send a stop again until the device confirms it', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    await app.operations.stop({ deviceNo, operationId, nowMs: NOW_MS });
    assert.deepEqual(await tick(app, NOW_MS + 1), []);
    assert.deepEqual(await tick(app, NOW_MS + STOP_RESEND_MS), [['stop', operationId]]);
    const progress = progressOf(operationId, 'stopped', 1);
    await app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS + STOP_RESEND_MS });
    assert.deepEqual(await tick(app, NOW_MS + 2 * STOP_RESEND_MS), []);
  });

  /** Returns the measured amounts of these operations, and the types of the open alerts. */
  const weighed = async (deviceNo: number, ...ids: string[]) => {
    const found = await Promise.all(ids.map((id) => app.operations.find(deviceNo, id)));
    const alerts = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
    return {
      kg: found.map((one) => one && operationRecord(one).measured_amount),
      alerts: alerts.map(({ type }) => type),
    };
  };
  const start = async (deviceNo: number, amount: number, nowMs: number): Promise<string> => {
    const operationId = newId('op');
    const wanted = {
      deviceNo,
      operationId,
      type: 'feed',
      request: { amount },
      isReachable: true,
      nowMs,
    } as const;
    await app.operations.start(wanted);
    return operationId;
  };
  const says = (deviceNo: number, id: string, state: OperationProgress['state'], kg: number, nowMs: number) =>
    app.operations.progressed({ deviceNo, progress: { ...progressOf(id, state, kg), ts: nowMs }, nowMs });

  it('weigh each of two operations by itself, or not at all', async () => {
    const apart = await readySilo(app);
    const [one, two] = [await start(apart, 100, NOW_MS + 1), newId('op')];
    await says(apart, one, 'completed', 100, NOW_MS + 1_000);
    await weigh(app, apart, 5_100, NOW_MS + 1_001);
    await feed(app, apart, two, 12);
    await says(apart, two, 'completed', 12, NOW_MS + 2_000);
    await weigh(app, apart, 5_112, NOW_MS + 2_001);
    await tick(app, NOW_MS + 2_002);
    assert.deepEqual(await weighed(apart, one, two), { kg: [100, 12], alerts: [] });

    const together = await readySilo(app);
    const first = await start(together, 100, NOW_MS + 1);
    await says(together, first, 'completed', 100, NOW_MS + 1_000);
    await tick(app, NOW_MS + 1_500);
    const second = await start(together, 12, NOW_MS + 2_000);
    await says(together, second, 'completed', 12, NOW_MS + 3_000);
    await weigh(app, together, 5_112, NOW_MS + 3_001);
    await tick(app, NOW_MS + 3_002);
    assert.deepEqual(await weighed(together, first, second), { kg: [null, null], alerts: [] });
    const third = await start(together, 50, NOW_MS + 4_000);
    await says(together, third, 'completed', 50, NOW_MS + 5_000);
    await weigh(app, together, 5_162, NOW_MS + 5_001);
    await tick(app, NOW_MS + 5_002);
    assert.deepEqual(await weighed(together, third), { kg: [50], alerts: [] });
  });

  it('do not count what another operation moved as that of a forgotten one', async () => {
    const deviceNo = await readySilo(app);
    const forgotten = await start(deviceNo, 100, NOW_MS);
    const laterMs = NOW_MS + 20 * SECOND_MS;
    await says(deviceNo, forgotten, 'unknown', 0, laterMs);
    const next = await start(deviceNo, 100, laterMs + 1);
    await says(deviceNo, next, 'completed', 100, laterMs + 1_000);
    await weigh(app, deviceNo, 5_181.4, laterMs + 1_001);
    await tick(app, laterMs + 1_002);
    const { kg, alerts } = await weighed(deviceNo, forgotten, next);
    assert.deepEqual({ kg, alerts }, { kg: [null, null], alerts: ['operation_failed'] });
  });

  it('do not weigh an operation beside which the device began another one, nor with a weight that cannot be true', async () => {
    const deviceNo = await readySilo(app);
    const asked = await start(deviceNo, 100, NOW_MS + 1);
    await says(deviceNo, newId('panel'), 'running', 5, NOW_MS + 500);
    await says(deviceNo, asked, 'completed', 100, NOW_MS + 1_000);
    await weigh(app, deviceNo, 5_150, NOW_MS + 1_001);
    await tick(app, NOW_MS + 1_002);
    assert.deepEqual((await weighed(deviceNo, asked)).kg, [null]);

    const faulty = await readySilo(app);
    const measured = await start(faulty, 100, NOW_MS + 1);
    await says(faulty, measured, 'completed', 100, NOW_MS + 1_000);
    await weigh(app, faulty, 512_000, NOW_MS + 1_001);
    await tick(app, NOW_MS + 1_002);
    assert.deepEqual((await weighed(faulty, measured)).kg, [null]);
    await weigh(app, faulty, 5_100, NOW_MS + 2_000);
    await tick(app, NOW_MS + 2_001);
    assert.deepEqual((await weighed(faulty, measured)).kg, [100]);
  });

  it('raise the alert about an imbalance as soon as it is weighed', async () => {
    const deviceNo = await readySilo(app);
    const { operationId } = (await feed(app, deviceNo)).operation;
    const progress = progressOf(operationId, 'completed', 100);
    await app.operations.progressed({ deviceNo, progress, nowMs: NOW_MS + 1 });
    await weigh(app, deviceNo, 5_050, NOW_MS + SECOND_MS);
    await tick(app, NOW_MS + SECOND_MS);
    const alerts = await app.alerts.list({ deviceNo, filter: 'open', beforeAlertId: null, limit: 10 });
    assert.deepEqual(
      alerts.map(({ type }) => type),
      ['mass_imbalance'],
    );
  });

  it('advance every operation, however few at a time', async () => {
    const nowMs = NOW_MS + ACK_TIMEOUT_MS;
    const started: string[] = [];
    for (let n = 0; n < 5; n++) {
      started.push((await feed(app, await readySilo(app))).operation.operationId);
    }
    const reached = new Set<string>();
    for (let round = 0; round < 8; round++) {
      for (const [, operationId = ''] of await tick(app, nowMs + round, 2)) reached.add(operationId);
    }
    assert(new Set(started).isSubsetOf(reached));
  });
});
