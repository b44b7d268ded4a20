import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  eventsOfDevice,
  isRefusal,
  locate,
  missionAt,
  NOW_MS,
  newId,
  readyFieldDevice,
  readySilo,
  tickDue,
  weigh,
} from '@granary/testing/app/fixtures';
import type { App } from '../app.ts';

const DECLARATION = { reason: 'the gate is closed', looked_by: 'Ada' };
const LATER_MS = NOW_MS + MINUTE_MS;

describeEachEngine('the declared end of a job', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const feed = (deviceNo: number, operationId: string, nowMs: number) =>
    app.operations.start({
      deviceNo,
      operationId,
      type: 'feed',
      request: { amount: 100 },
      isReachable: true,
      nowMs,
    });

  it('frees a silo whose operation the device did not end, once for two who declare it at the same time', async () => {
    const deviceNo = await readySilo(app);
    const operationId = newId('op');
    await feed(deviceNo, operationId, NOW_MS);
    const declaration = { deviceNo, operationId, declaration: DECLARATION, nowMs: LATER_MS };
    await assert.rejects(app.operations.declareEnded(declaration), isRefusal('cannot_declare_ended'));
    await app.operations.stop({ deviceNo, operationId, nowMs: NOW_MS });
    await weigh(app, deviceNo, 5_000, LATER_MS);
    await assert.rejects(feed(deviceNo, newId('op'), LATER_MS), isRefusal('operation_in_progress'));

    const [first, second] = await Promise.all([
      app.operations.declareEnded(declaration),
      other.operations.declareEnded({ ...declaration, nowMs: LATER_MS + 1 }),
    ]);
    assert.deepEqual(first, second);
    assert.deepEqual([first?.status, first?.failure?.reason], ['failed', 'declared_ended']);
    const events = await eventsOfDevice(app, deviceNo);
    const ended = events.filter(
      ({ type, data }) => type === 'operation.status_changed' && data['status'] === 'failed',
    );
    assert.equal(ended.length, 1);
    assert.partialDeepStrictEqual(ended[0]?.data, { declared: { looked_by: 'Ada' } });
    assert.equal((await feed(deviceNo, newId('op'), LATER_MS)).operation.status, 'started');
    const silo = { isReachable: (no: number) => no === deviceNo };
    const { sends } = await tickDue(app, 'operations', LATER_MS + SECOND_MS, silo);
    assert.deepEqual(
      sends.filter((send) => send.deviceNo === deviceNo).map(({ message }) => message.command),
      [],
    );
  });

  it('is unknown for an operation, a command or a mission of another device', async () => {
    const declaration = { declaration: DECLARATION, isReachable: false, nowMs: LATER_MS };
    const silo = await readySilo(app);
    const operationId = newId('op');
    await feed(silo, operationId, NOW_MS);
    const deviceNo = await readySilo(app);
    assert.equal(await app.operations.declareEnded({ ...declaration, deviceNo, operationId }), undefined);
    const commandId = newId('cmd');
    assert.equal(await app.commands.declareEnded({ ...declaration, deviceNo, commandId }), undefined);
    const missionId = newId('ms');
    assert.equal(await app.missions.declareEnded({ ...declaration, deviceNo, missionId }), undefined);
  });

  it('ends the repetition of an emergency stop, which stays in force until it is released', async () => {
    const deviceNo = await readyFieldDevice(app);
    const commandId = newId('cmd');
    const request = { command: 'emergency_stop' } as const;
    await app.commands.issue({ deviceNo, commandId, request, isReachable: true, nowMs: NOW_MS });
    const declaration = { deviceNo, commandId, declaration: DECLARATION, isReachable: true };
    const tooEarly = app.commands.declareEnded({ ...declaration, nowMs: NOW_MS + SECOND_MS });
    await assert.rejects(tooEarly, isRefusal('cannot_declare_ended'));
    const declared = await app.commands.declareEnded({ ...declaration, nowMs: LATER_MS });
    assert.deepEqual([declared?.status, declared?.result?.reason], ['failed', 'declared_ended']);

    const rover = { isReachable: (no: number) => no === deviceNo };
    const { sends } = await tickDue(app, 'field', LATER_MS + MINUTE_MS, rover);
    assert.deepEqual(
      sends.filter((send) => send.deviceNo === deviceNo),
      [],
    );
    await locate(app, deviceNo, {}, LATER_MS);
    const issue = { deviceNo, isReachable: true, nowMs: LATER_MS };
    await assert.rejects(
      app.commands.issue({ ...issue, commandId: newId('cmd'), request: { command: 'scan' } }),
      isRefusal('emergency_stop_active'),
    );
    await app.commands.issue({
      ...issue,
      commandId: newId('cmd'),
      request: { command: 'release_emergency_stop' },
    });
  });

  it('frees a field device whose mission the device did not end', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = newId('ms');
    const mission = missionAt(NOW_MS);
    await app.missions.create({ deviceNo, missionId, mission, isReachable: true, nowMs: NOW_MS });
    await tickDue(app, 'field', NOW_MS);
    const progress = { mission_id: missionId, state: 'running', ts: NOW_MS } as const;
    await app.missions.progressed({ deviceNo, progress, nowMs: NOW_MS });
    const declaration = { deviceNo, missionId, declaration: DECLARATION, nowMs: LATER_MS };
    await assert.rejects(
      app.missions.declareEnded({ ...declaration, isReachable: true }),
      isRefusal('cannot_declare_ended'),
    );
    const declared = await app.missions.declareEnded({ ...declaration, isReachable: false });
    assert.deepEqual([declared?.status, declared?.declared?.lookedBy], ['failed', 'Ada']);
    await locate(app, deviceNo, {}, LATER_MS);
    await app.missions.create({
      deviceNo,
      missionId: newId('ms'),
      mission: missionAt(LATER_MS),
      isReachable: true,
      nowMs: LATER_MS,
    });
  });
});
