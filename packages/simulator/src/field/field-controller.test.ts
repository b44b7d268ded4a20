import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FieldCommand } from '@granary/contract/link/field-messages';
import { SECOND_MS } from '@granary/contract/time';
import { type RecordingBroker, startBroker } from '@granary/testing/simulator/broker';
import {
  command,
  configurationOf,
  missionControl,
  moveTo,
  ROVER_UNIT as ROVER,
  SHORT_WAY,
  START_MS,
  upload,
} from '@granary/testing/simulator/field';
import { createFieldDevice } from '../profiles/rover.ts';
import type { FieldFault } from './field-controller.ts';
import { type FieldMemory, isFieldMemory } from './memory.ts';
import { apartM, planePointOf } from './vehicle/ground.ts';

const HOME = { eastM: 0, northM: 0 };

/** A rover with a test clock, which it reads every few milliseconds. */
function startRover(
  t: TestContext,
  broker: RecordingBroker,
  faults: FieldFault[] = [],
  memory?: FieldMemory,
) {
  let nowMs = START_MS;
  const kept: FieldMemory[] = [];
  const troubles: string[] = [];
  const device = createFieldDevice(ROVER, {
    link: broker.linkOf(ROVER.id),
    intervalMs: 10,
    faults: new Set(faults),
    recall: (isKnown) => (isKnown(memory) ? memory : undefined),
    keep: async (latest) => {
      assert.ok(isFieldMemory(latest));
      kept.push(latest);
    },
    onTrouble: (reason) => troubles.push(reason),
    now: () => nowMs,
  });
  device.start();
  t.after(() => device.stop());
  const send = async (message: FieldCommand) => {
    await broker.until(() => states(broker).at(-1) === 'online');
    await broker.command(ROVER.id, message);
  };
  return {
    device,
    kept,
    troubles,
    send,
    fly: async (changes = {}) => {
      await send(upload(SHORT_WAY, changes));
      await send(missionControl('start'));
      await broker.until(() => missionReports(broker).some(({ state }) => state === 'running'));
    },
    pass: (seconds: number) => {
      nowMs += seconds * SECOND_MS;
    },
    fromHomeM: () => {
      const { latitude: lat, longitude: lng } = device.model.position;
      return apartM(planePointOf(ROVER.ground, { lat, lng }), HOME);
    },
  };
}

const states = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'status' ? [message.state.state] : []));
const acks = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'ack' ? [message.ack] : []));
const reports = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'progress' ? [message.progress] : []));
const missionReports = (broker: RecordingBroker, id = 'ms_1') =>
  reports(broker).flatMap((report) => ('mission_id' in report && report.mission_id === id ? [report] : []));
const commandReports = (broker: RecordingBroker, id: string) =>
  reports(broker).flatMap((report) => ('command_id' in report && report.command_id === id ? [report] : []));
const readings = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'telemetry' ? [message.telemetry].flat() : []));

async function untilMission(broker: RecordingBroker, state: string, id?: string) {
  const find = () => missionReports(broker, id).find((report) => report.state === state);
  await broker.until(() => find() !== undefined);
  return find() ?? assert.fail();
}

async function untilCommand(broker: RecordingBroker, id: string, state: string) {
  const find = () => commandReports(broker, id).find((report) => report.state === state);
  await broker.until(() => find() !== undefined);
  return find() ?? assert.fail();
}

/** Waits for further readings, so that a movement would be visible. */
async function afterMoreReadings(broker: RecordingBroker, count = 10): Promise<void> {
  const received = readings(broker).length;
  await broker.until(() => readings(broker).length >= received + count);
}

/** All reported states of each waypoint, in order. */
const waypointHistory = (broker: RecordingBroker) =>
  missionReports(broker).flatMap(({ waypoints = [] }) =>
    waypoints.map(({ index, state, action_result }) => [index, state, action_result ?? null]),
  );

test('a move is acknowledged, seen on the way, and succeeds where it should', async (t) => {
  const broker = await startBroker(t);
  const { send, pass, fromHomeM } = startRover(t, broker);
  await send(moveTo(30, 0));
  await untilCommand(broker, 'cmd_move', 'executing');
  pass(6);
  await broker.until(() => fromHomeM() > 5 && fromHomeM() < 25);
  pass(14);
  await untilCommand(broker, 'cmd_move', 'succeeded');
  assert.deepEqual(acks(broker), [{ command_id: 'cmd_move', accepted: true }]);
  await afterMoreReadings(broker);
  const { latitude: lat = 0, longitude: lng = 0 } = readings(broker).at(-1) ?? assert.fail();
  assert.ok(Math.abs(apartM(planePointOf(ROVER.ground, { lat, lng }), HOME) - 30) < 0.05);
});

test('a mission is reported waypoint by waypoint, and completes', async (t) => {
  const broker = await startBroker(t);
  const { fly, pass } = startRover(t, broker);
  await fly();
  for (let seconds = 0; seconds < 30; seconds++) {
    pass(1);
    await afterMoreReadings(broker, 2);
  }
  await untilMission(broker, 'completed');
  const story = waypointHistory(broker);
  for (const step of [
    [0, 'reached', null],
    [0, 'reached', 'succeeded'],
    [1, 'active', null],
    [1, 'reached', null],
    [1, 'reached', 'succeeded'],
  ]) {
    assert.ok(
      story.some((reported) => JSON.stringify(reported) === JSON.stringify(step)),
      JSON.stringify(step),
    );
  }
});

test('a pause stops the movement, a cancellation ends it, and both are answered each time', async (t) => {
  const broker = await startBroker(t);
  const { fly, send, pass, fromHomeM } = startRover(t, broker);
  await fly();
  pass(3);
  await send(missionControl('pause'));
  await untilMission(broker, 'paused');
  pass(3);
  await afterMoreReadings(broker);
  const pausedM = fromHomeM();
  pass(60);
  await afterMoreReadings(broker);
  assert.equal(fromHomeM(), pausedM);
  await send(missionControl('cancel'));
  await untilMission(broker, 'aborted');
  await send(missionControl('cancel'));
  await broker.until(() => missionReports(broker).filter(({ state }) => state === 'aborted').length >= 2);
});

test('refuses a second mission, and reports unknown ones as unknown', async (t) => {
  const broker = await startBroker(t);
  const { fly, send, troubles } = startRover(t, broker);
  await fly();
  await send(upload(SHORT_WAY, { mission_id: 'ms_2' }));
  await broker.until(() => acks(broker).length === 2);
  assert.deepEqual(acks(broker)[1], { mission_id: 'ms_2', accepted: false, reason: 'ms_1 is running' });
  await send({ command: 'report', mission_id: 'ms_9' });
  await send({ command: 'report', command_id: 'cmd_9' });
  await untilMission(broker, 'unknown', 'ms_9');
  await untilCommand(broker, 'cmd_9', 'unknown');
  await broker.command(ROVER.id, { command: 'dance' });
  await broker.until(() => troubles.length > 0);
  assert.deepEqual(troubles, ['it was sent a command that it cannot read']);
});

test('a lost link triggers the action of the mission, which is reported after the reconnect', async (t) => {
  const broker = await startBroker(t);
  const { fly, pass, fromHomeM } = startRover(t, broker, ['link-loss-while-running']);
  await fly({ link_loss_action: 'hold' });
  pass(3);
  await broker.until(() => states(broker).length === 2);
  pass(6);
  const { reason } = await untilMission(broker, 'paused');
  assert.equal(reason, 'link lost');
  assert.deepEqual(states(broker), ['online', 'offline', 'online']);
  const heldM = fromHomeM();
  pass(60);
  await afterMoreReadings(broker);
  assert.ok(Math.abs(fromHomeM() - heldM) < 3.5);
});

test('returns home when its battery is low, as configured', async (t) => {
  const broker = await startBroker(t);
  const configuration = configurationOf(ROVER);
  await broker.configure(ROVER.id, {
    ...configuration,
    thresholds: { low_battery: 99.95, critical_battery: 10 },
  });
  const { fly, pass, fromHomeM } = startRover(t, broker);
  await fly();
  for (let seconds = 0; seconds < 60; seconds++) {
    pass(1);
    await afterMoreReadings(broker, 1);
  }
  assert.equal((await untilMission(broker, 'aborted')).reason, 'low battery');
  assert.ok(fromHomeM() < 0.01);
});

test('after a loss of power it stands where it was left, and its mission is over', async (t) => {
  const broker = await startBroker(t);
  const first = startRover(t, broker);
  await first.fly();
  first.pass(4);
  await broker.until(() => first.fromHomeM() > 3);
  await first.device.stop();
  const leftM = first.fromHomeM();
  const second = startRover(t, broker, [], first.kept.at(-1));
  assert.equal((await untilMission(broker, 'failed')).reason, 'power lost');
  await second.send(missionControl('start'));
  second.pass(60);
  await afterMoreReadings(broker);
  assert.ok(Math.abs(second.fromHomeM() - leftM) < 0.01);
});

test('skip-waypoint: skips the second waypoint and reports that', async (t) => {
  const broker = await startBroker(t);
  const { fly, pass } = startRover(t, broker, ['skip-waypoint']);
  await fly();
  pass(12);
  await untilMission(broker, 'completed');
  assert.deepEqual(waypointHistory(broker).at(-1), [1, 'skipped', null]);
});

test('die-half-way: loses its connection without DISCONNECT, and reconnects with its mission failed', async (t) => {
  const broker = await startBroker(t);
  const { fly, pass } = startRover(t, broker, ['die-half-way']);
  await fly();
  pass(11);
  await broker.until(() => states(broker).length === 2);
  assert.deepEqual(states(broker), ['online', 'offline']);
  pass(30);
  assert.equal((await untilMission(broker, 'failed')).reason, 'power lost');
  assert.deepEqual(states(broker), ['online', 'offline', 'online']);
  await afterMoreReadings(broker);
  const seconds = readings(broker).map(({ ts }) => (Number(ts) - START_MS) / SECOND_MS);
  assert.deepEqual(new Set(seconds), new Set([0, 41]));
});

test('ignore-commands and late-ack: reports are missing, or late', async (t) => {
  const broker = await startBroker(t);
  const { device, send, pass, fromHomeM } = startRover(t, broker, ['ignore-commands']);
  await send(moveTo(10, 0));
  pass(20);
  await afterMoreReadings(broker);
  assert.deepEqual([fromHomeM(), acks(broker)], [0, []]);
  device.fault('ignore-commands', false);
  device.fault('late-ack', true);
  await send(moveTo(10, 0));
  pass(14);
  await afterMoreReadings(broker);
  assert.ok(fromHomeM() > 5);
  assert.deepEqual(acks(broker), []);
  pass(1);
  await untilCommand(broker, 'cmd_move', 'succeeded');
});

test('an emergency stop is confirmed again each time it is received', async (t) => {
  const broker = await startBroker(t);
  const { send, pass } = startRover(t, broker);
  await send(moveTo(50, 0));
  await untilCommand(broker, 'cmd_move', 'executing');
  pass(5);
  await send(command('emergency_stop'));
  pass(1);
  await untilCommand(broker, 'cmd_emergency_stop', 'succeeded');
  await untilCommand(broker, 'cmd_move', 'cancelled');
  await send(command('emergency_stop'));
  const confirmed = () =>
    commandReports(broker, 'cmd_emergency_stop').filter(({ state }) => state === 'succeeded');
  await broker.until(() => confirmed().length >= 2);
});
