import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import type { CommandRequest } from '@granary/contract/commands';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { COMMAND_TIMEOUT_MS } from '@granary/core/commands/state';
import { STOP_RESEND_MS } from '@granary/core/jobs/polling';
import { START_TOLERANCE_MS } from '@granary/core/missions/planning/plan';
import { UPLOAD_LEAD_MS, UPLOAD_RESEND_MS } from '@granary/core/missions/transitions';
import { describeEachEngine } from '@granary/testing/app/engines';
import {
  locate,
  missionAt,
  NOW_MS,
  newFieldDevice,
  newId,
  readyFieldDevice,
  registerDevice,
  tickDue,
} from '@granary/testing/app/fixtures';
import { UnreliableRover } from '@granary/testing/app/unreliable-rover';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import fc from 'fast-check';
import type { App } from '../app.ts';

const EVERY = 10_000;

const everyDevice = (_deviceNo: number): boolean => true;

describeEachEngine('ticks of field devices', (engine) => {
  let app: App;
  let other: App;
  before(async () => {
    app = await engine.open();
    other = await engine.open();
  });

  const deviceIdOf = async (deviceNo: number): Promise<unknown> =>
    (await engine.query(`SELECT device_id FROM devices WHERE device_no = ${deviceNo}`))[0]?.[0];

  /** Returns what a tick sends to one device. */
  const sent = async (
    deviceNo: number,
    nowMs: number,
    { at = app, isReachable = everyDevice } = {},
  ): Promise<string[]> => {
    const deviceId = await deviceIdOf(deviceNo);
    const { sends } = await tickDue(at, 'field', nowMs, { limit: EVERY, isReachable });
    return sends.filter((send) => send.deviceId === deviceId).map(({ message }) => message.command);
  };

  const issue = async (
    deviceNo: number,
    request: CommandRequest,
    { nowMs = NOW_MS, isReachable = true } = {},
  ): Promise<string> => {
    const commandId = newId('cmd');
    await app.commands.issue({ deviceNo, commandId, request, isReachable, nowMs });
    return commandId;
  };

  const create = async (deviceNo: number, startMs: number, nowMs = NOW_MS): Promise<string> => {
    const missionId = newId('ms');
    const mission = missionAt(startMs);
    await app.missions.create({ deviceNo, missionId, mission, isReachable: true, nowMs });
    return missionId;
  };

  const commandStatus = async (deviceNo: number, commandId: string) =>
    (await app.commands.find(deviceNo, commandId))?.status;
  const missionStatus = async (deviceNo: number, missionId: string) =>
    (await app.missions.find(deviceNo, missionId))?.status;

  it('send a queued command once its device is reachable, once, also when two nodes tick at the same time', async () => {
    const deviceNo = await registerDevice(app, newFieldDevice());
    const commandId = await issue(deviceNo, { command: 'hold' }, { isReachable: false });
    assert.deepEqual(await sent(deviceNo, NOW_MS, { isReachable: () => false }), []);
    await locate(app, deviceNo, {}, NOW_MS + 1);
    const both = await Promise.all([sent(deviceNo, NOW_MS + 1), sent(deviceNo, NOW_MS + 1, { at: other })]);
    assert.deepEqual(both.flat(), ['execute']);
    assert.equal(await commandStatus(deviceNo, commandId), 'sent');
  });

  it('expire a command whose device was not reachable in time, and time out one without an answer', async () => {
    const unreachableNo = await registerDevice(app, newFieldDevice());
    const waiting = await issue(unreachableNo, { command: 'hold' }, { isReachable: false });
    const deviceNo = await readyFieldDevice(app);
    const unanswered = await issue(deviceNo, { command: 'hold' });
    const lateMs = NOW_MS + 5 * MINUTE_MS + 1;
    await locate(app, unreachableNo, {}, lateMs);
    assert.deepEqual(await sent(unreachableNo, lateMs), []);
    assert.equal(await commandStatus(unreachableNo, waiting), 'expired');
    assert.equal(await commandStatus(deviceNo, unanswered), 'timed_out');
    await locate(app, deviceNo, {}, lateMs + COMMAND_TIMEOUT_MS);
    assert.deepEqual(await sent(deviceNo, lateMs + COMMAND_TIMEOUT_MS), ['report']);
  });

  it('send an emergency stop again until the device confirms it, and nothing else in between', async () => {
    const deviceNo = await readyFieldDevice(app);
    const missionId = await create(deviceNo, NOW_MS);
    const stopId = await issue(deviceNo, { command: 'emergency_stop' });
    assert.deepEqual(await sent(deviceNo, NOW_MS + 1), []);
    assert.deepEqual(await sent(deviceNo, NOW_MS + STOP_RESEND_MS), ['execute']);
    assert.deepEqual(await sent(deviceNo, NOW_MS + STOP_RESEND_MS), []);
    const progress = { command_id: stopId, state: 'succeeded', ts: NOW_MS } as const;
    await app.commands.progressed({ deviceNo, progress, nowMs: NOW_MS + STOP_RESEND_MS });
    assert.deepEqual(await sent(deviceNo, NOW_MS + 2 * STOP_RESEND_MS), []);
    assert.equal(await missionStatus(deviceNo, missionId), 'missed');
  });

  it('upload a mission shortly before its start until the device acknowledges it, and start it on time, once', async () => {
    const deviceNo = await readyFieldDevice(app);
    const startMs = NOW_MS + 20 * SECOND_MS;
    const missionId = await create(deviceNo, startMs);
    assert.deepEqual(await sent(deviceNo, startMs - UPLOAD_LEAD_MS - 1), []);
    assert.deepEqual(await sent(deviceNo, startMs - UPLOAD_LEAD_MS), ['mission_upload']);
    assert.deepEqual(await sent(deviceNo, startMs - UPLOAD_LEAD_MS + 1, { at: other }), []);
    assert.deepEqual(await sent(deviceNo, startMs - UPLOAD_LEAD_MS + UPLOAD_RESEND_MS), ['mission_upload']);
    const ack = { mission_id: missionId, accepted: true };
    await app.missions.acknowledged({ deviceNo, ack, nowMs: startMs });
    assert.deepEqual(await sent(deviceNo, startMs), ['mission_start']);
    assert.deepEqual(await sent(deviceNo, startMs + UPLOAD_RESEND_MS), ['report']);
    const progress = { mission_id: missionId, state: 'running', ts: startMs } as const;
    await app.missions.progressed({ deviceNo, progress, nowMs: startMs + UPLOAD_RESEND_MS });
    assert.deepEqual(await sent(deviceNo, startMs + UPLOAD_RESEND_MS), []);
    assert.equal(await missionStatus(deviceNo, missionId), 'in_progress');
  });

  it('upload and start a mission once when two nodes tick at the same time', async () => {
    const deviceNo = await readyFieldDevice(app);
    const startMs = NOW_MS + 20 * SECOND_MS;
    const missionId = await create(deviceNo, startMs);
    const sentByBoth = async (nowMs: number): Promise<string[]> =>
      (await Promise.all([sent(deviceNo, nowMs), sent(deviceNo, nowMs, { at: other })])).flat();
    assert.deepEqual(await sentByBoth(startMs - UPLOAD_LEAD_MS), ['mission_upload']);
    const ack = { mission_id: missionId, accepted: true };
    await app.missions.acknowledged({ deviceNo, ack, nowMs: startMs - SECOND_MS });
    assert.deepEqual(await sentByBoth(startMs), ['mission_start']);
  });

  it('start a mission late within its tolerance, and raise an alert when it was missed', async () => {
    const late = { deviceNo: await readyFieldDevice(app), atMs: NOW_MS + HOUR_MS + START_TOLERANCE_MS };
    const missed = { deviceNo: await readyFieldDevice(app), atMs: late.atMs + 1 };
    const ids = [
      await create(late.deviceNo, NOW_MS + HOUR_MS),
      await create(missed.deviceNo, NOW_MS + HOUR_MS),
    ];
    await locate(app, late.deviceNo, {}, late.atMs);
    const isReachable = (deviceNo: number) => deviceNo !== missed.deviceNo;
    assert.deepEqual(await sent(late.deviceNo, late.atMs, { isReachable }), ['mission_upload']);
    await locate(app, missed.deviceNo, {}, missed.atMs);
    assert.deepEqual(await sent(missed.deviceNo, missed.atMs), []);
    assert.equal(await missionStatus(missed.deviceNo, ids[1] ?? ''), 'missed');
    const page = { deviceNo: missed.deviceNo, filter: 'open', beforeAlertId: null, limit: 10 } as const;
    assert.deepEqual(
      (await app.alerts.list(page)).map(({ type }) => type),
      ['mission_failed'],
    );
  });

  it('do not advance a mission before its time, and advance every device however few at a time', async () => {
    const nowMs = NOW_MS + 24 * HOUR_MS;
    const devices: number[] = [];
    for (let n = 0; n < 5; n++) {
      const deviceNo = await readyFieldDevice(app, nowMs);
      await create(deviceNo, nowMs + 2 * HOUR_MS, nowMs);
      devices.push(deviceNo);
    }
    for (const deviceNo of devices) await issue(deviceNo, { command: 'emergency_stop' }, { nowMs });
    const reached = new Set<string>();
    for (let round = 0; round < 400 && reached.size < devices.length; round++) {
      const { sends } = await tickDue(app, 'field', nowMs + STOP_RESEND_MS + round, { limit: 2 });
      for (const { deviceId, message } of sends) if (message.command === 'execute') reached.add(deviceId);
    }
    assert.equal(reached.size, devices.length);
    assert.deepEqual(
      await engine.query(`SELECT DISTINCT advanced_at_ms FROM missions WHERE due_at_ms > ${nowMs}`),
      [[nowMs]],
    );
  });
});

/**
 * The faults of each message: whether it arrives, whether its answer arrives, whether the service is killed right after it has
 * stored what it sends, and which memory the device has lost by then.
 */
const fault = fc.record({
  arrives: fc.boolean(),
  isAnswered: fc.boolean(),
  isKilled: fc.boolean(),
  loses: fc.constantFrom('nothing', 'nothing', 'its progress', 'everything'),
});
const NO_FAULT = { arrives: true, isAnswered: true, isKilled: false, loses: 'nothing' } as const;

describeEachEngine('a mission', (engine) => {
  it('runs at most once, whichever messages and memory are lost and whenever the service is killed', async () => {
    const observer = await engine.open();
    const property = fc.asyncProperty(fc.array(fault, { maxLength: 12 }), async (faults) => {
      let app = observer;
      let nowMs = NOW_MS;
      const deviceNo = await readyFieldDevice(app);
      const rover = new UnreliableRover(deviceNo);
      const missionId = newId('ms');
      const mission = missionAt(nowMs + 2 * SECOND_MS);
      await app.missions.create({ deviceNo, missionId, mission, isReachable: true, nowMs });
      let hasLostMemory = false;
      const nextFaults = faults.values();
      for (let round = 0; round < 90; round++) {
        nowMs += SECOND_MS;
        await locate(app, deviceNo, {}, nowMs);
        for (const { message } of (await tickDue(app, 'field', nowMs, { limit: EVERY })).sends) {
          if (!('mission_id' in message) || message.mission_id !== missionId) continue;
          const { arrives, isAnswered, isKilled, loses } = nextFaults.next().value ?? NO_FAULT;
          if (arrives && !isKilled) rover.carryOut(message);
          if (arrives && !isKilled && isAnswered) await rover.answer(app, message, nowMs);
          hasLostMemory ||= rover.loseMemory(loses);
          if (!isKilled) continue;
          if (app !== observer) await app.close();
          app = await engine.open();
        }
        if (round % 3 === 2) await rover.drive(app, mission.waypoints.length, nowMs);
      }
      if (app !== observer) await app.close();
      assert.ok(rover.runs.length <= 1);
      const status = (await observer.missions.find(deviceNo, missionId))?.status ?? '';
      if (hasLostMemory) assert.ok(['completed', 'missed', 'failed'].includes(status), status);
      else assert.equal(status, rover.runs.length === 1 ? 'completed' : 'missed');
    });
    const startThenMemoryLoss = [
      NO_FAULT,
      { ...NO_FAULT, isAnswered: false, loses: 'its progress' },
    ] as const;
    await fc.assert(property, { numRuns: IS_FULL_SIZE ? 20 : 4, examples: [[[...startThenMemoryLoss]]] });
  });
});
