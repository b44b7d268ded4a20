import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  isAboutOperation,
  type OperationProgress,
  type ProgressState,
  type StartCommand,
} from '@granary/contract/link/messages';
import { MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { type RecordingBroker, startBroker } from '@granary/testing/simulator/broker';
import { createSiloDevice } from '../profiles/silo-scale.ts';
import type { SiloFault } from './faults.ts';
import { INITIAL_MEMORY, isMemory, type Memory } from './machine.ts';
import { SILOS } from './silos.ts';

/** An evening without regular use or deliveries, so that only the operations of these tests change the content. */
const START_MS = Date.UTC(2026, 10, 15, 20);
const [SILO = assert.fail()] = SILOS;

/** A silo with a test clock, which it reads every few milliseconds. */
function startDevice(
  t: TestContext,
  broker: RecordingBroker,
  faults: SiloFault[] = [],
  memory = INITIAL_MEMORY,
) {
  let nowMs = START_MS;
  const kept: Memory[] = [];
  const disk = { isReady: Promise.resolve(), isFull: false };
  const troubles: string[] = [];
  const device = createSiloDevice(SILO, {
    link: broker.linkOf(SILO.id),
    intervalMs: 10,
    faults: new Set(faults),
    recall: (isKnown) => (isKnown(memory) ? memory : undefined),
    keep: async (latest) => {
      await disk.isReady;
      if (disk.isFull) throw new Error('the disk is full');
      assert.ok(isMemory(latest));
      kept.push(latest);
    },
    onTrouble: (reason) => troubles.push(reason),
    now: () => nowMs,
  });
  device.start();
  t.after(() => device.stop());
  return {
    device,
    kept,
    disk,
    troubles,
    beforeKg: device.model.weightKg,
    start: async (changes: Partial<StartCommand> = {}) => {
      await broker.until(() => states(broker).at(-1) === 'online');
      await broker.command(SILO.id, { ...START, ...changes });
    },
    send: (command: 'stop' | 'report', operation_id = 'op_1') =>
      broker.command(SILO.id, { command, operation_id }),
    pass: (seconds: number) => {
      nowMs += seconds * SECOND_MS;
    },
  };
}

const START: StartCommand = {
  command: 'start',
  operation_id: 'op_1',
  type: 'feed',
  amount_kg: 50,
  rate_kg_per_min: 600,
  max_amount_kg: 51,
  max_duration_s: 60,
  expires_at: toIso(START_MS + MINUTE_MS),
};

const states = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'status' ? [message.state.state] : []));
const acks = (broker: RecordingBroker) =>
  broker.received.flatMap((message) => (message.subject === 'ack' ? [message.ack] : []));
const progress = (broker: RecordingBroker, id = 'op_1') =>
  broker.received.flatMap((message) =>
    message.subject === 'progress' &&
    isAboutOperation(message.progress) &&
    message.progress.operation_id === id
      ? [message.progress]
      : [],
  );
const weights = (broker: RecordingBroker) =>
  broker.received.flatMap((message) =>
    message.subject === 'telemetry'
      ? [message.telemetry].flat().map(({ weight = Number.NaN }) => weight)
      : [],
  );

async function untilReported(
  broker: RecordingBroker,
  state: ProgressState,
  id?: string,
): Promise<OperationProgress> {
  const find = () => progress(broker, id).find((report) => report.state === state);
  await broker.until(() => find() !== undefined);
  return find() ?? assert.fail();
}

/** Waits for further readings, so that a movement would be visible. */
async function afterMoreReadings(broker: RecordingBroker, count = 10): Promise<void> {
  const received = weights(broker).length;
  await broker.until(() => weights(broker).length >= received + count);
}

const isAbout = (actualKg: number, expectedKg: number): boolean => Math.abs(actualKg - expectedKg) < 1e-6;

test('a feed is acknowledged, reported as it goes on, and really there in the end', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker);
  await start();
  await broker.until(() => acks(broker).length === 1);
  pass(3.5);
  await broker.until(() => progress(broker).at(-1)?.amount_kg === 25);
  pass(3.5);
  assert.equal((await untilReported(broker, 'completed')).amount_kg, 50);
  assert.deepEqual(acks(broker), [{ operation_id: 'op_1', accepted: true }]);
  assert.ok(isAbout(device.model.weightKg, beforeKg + 50));
  pass(1);
  await afterMoreReadings(broker);
  assert.ok(Math.abs((weights(broker).at(-1) ?? 0) - beforeKg - 50) <= 2 * SILO.model.noiseKg);
});

test('a stopped discharge moves no more, however often it is stopped or started again', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, send, pass } = startDevice(t, broker);
  await start({ type: 'discharge' });
  await broker.until(() => acks(broker).length === 1);
  pass(3.5);
  await send('stop');
  assert.equal((await untilReported(broker, 'stopped')).amount_kg, 25);
  await send('stop');
  await start({ type: 'discharge' });
  await broker.until(() => acks(broker).length === 2);
  pass(10);
  await afterMoreReadings(broker);
  assert.ok(isAbout(device.model.weightKg, beforeKg - 25));
  assert.equal(progress(broker).at(-1)?.state, 'stopped');
});

test('refuses a second operation, and reports unknown ones as unknown', async (t) => {
  const broker = await startBroker(t);
  const { start, send, pass } = startDevice(t, broker);
  await start();
  await start({ operation_id: 'op_2' });
  await start({ operation_id: 'op_3', expires_at: toIso(START_MS - 1) });
  await broker.until(() => acks(broker).length === 3);
  assert.deepEqual(acks(broker).slice(1), [
    { operation_id: 'op_2', accepted: false, reason: 'op_1 is running' },
    { operation_id: 'op_3', accepted: false, reason: 'it came too late' },
  ]);
  await send('report', 'op_8');
  await send('stop', 'op_9');
  await untilReported(broker, 'unknown', 'op_8');
  await untilReported(broker, 'unknown', 'op_9');
  pass(7);
  await untilReported(broker, 'completed');
  await send('report');
  await broker.until(() => progress(broker).filter(({ state }) => state === 'completed').length === 2);
});

test('an invalid command has no effect', async (t) => {
  const broker = await startBroker(t);
  const { start, troubles } = startDevice(t, broker);
  await start({ amount_kg: -5 });
  await start();
  await untilReported(broker, 'running');
  assert.deepEqual(troubles, ['it was sent a command that it cannot read']);
});

test('continues while the link is lost, and reports after the reconnect', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker, ['link-loss-while-running']);
  await start();
  await untilReported(broker, 'running');
  pass(3);
  await broker.until(() => states(broker).length === 2);
  pass(4);
  assert.equal((await untilReported(broker, 'completed')).amount_kg, 50);
  assert.ok(isAbout(device.model.weightKg, beforeKg + 50));
  assert.deepEqual(states(broker), ['online', 'offline', 'online']);
});

test('after a loss of power the operation is over, and the content as it was left', async (t) => {
  const broker = await startBroker(t);
  const first = startDevice(t, broker);
  await first.start();
  await broker.until(() => acks(broker).length === 1);
  first.pass(3.5);
  await broker.until(() => progress(broker).at(-1)?.amount_kg === 25);
  await first.device.stop();
  const second = startDevice(t, broker, [], first.kept.at(-1));
  assert.ok(isAbout(second.device.model.weightKg, first.beforeKg + 25));
  const { reason, amount_kg } = await untilReported(broker, 'failed');
  assert.deepEqual([reason, amount_kg], ['power lost', 25]);
  await second.start();
  await broker.until(() => acks(broker).length === 2);
  second.pass(10);
  await afterMoreReadings(broker);
  assert.ok(isAbout(second.device.model.weightKg, first.beforeKg + 25));
});

test('reports an operation only after its state is stored', async (t) => {
  const broker = await startBroker(t);
  const { start, kept, disk } = startDevice(t, broker);
  const { promise, resolve } = Promise.withResolvers<void>();
  disk.isReady = promise;
  await start();
  await afterMoreReadings(broker);
  assert.deepEqual([acks(broker), progress(broker), kept], [[], [], []]);
  resolve();
  await untilReported(broker, 'running');
  assert.equal(kept.at(-1)?.operations[0]?.operation_id, 'op_1');
});

test('a state that cannot be stored is reported as trouble, and reports continue', async (t) => {
  const broker = await startBroker(t);
  const { start, pass, disk, troubles } = startDevice(t, broker);
  disk.isFull = true;
  await start();
  await broker.until(() => acks(broker).length === 1);
  pass(7);
  await untilReported(broker, 'completed');
  assert.deepEqual(new Set(troubles), new Set(['its memory cannot be kept: the disk is full']));
});

test('ignore-commands: nothing moves and nothing is reported, until the fault ends', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker, ['ignore-commands']);
  await start();
  await afterMoreReadings(broker);
  pass(10);
  await afterMoreReadings(broker);
  assert.ok(isAbout(device.model.weightKg, beforeKg));
  device.fault('ignore-commands', false);
  await start();
  await untilReported(broker, 'running');
  assert.equal(acks(broker).length, 1);
});

test('late-ack: the first report arrives long after the operation began', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker, ['late-ack']);
  await start();
  await afterMoreReadings(broker);
  pass(14);
  await afterMoreReadings(broker);
  assert.ok(isAbout(device.model.weightKg, beforeKg + 50));
  assert.deepEqual([acks(broker), progress(broker)], [[], []]);
  pass(1);
  await untilReported(broker, 'completed');
  assert.equal(acks(broker).length, 1);
});

test('stall: stops half-way, reports that it runs, and fails at its time limit', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker, ['stall']);
  await start();
  await broker.until(() => acks(broker).length === 1);
  pass(50);
  await broker.until(() => progress(broker).at(-1)?.amount_kg === 25);
  assert.equal(progress(broker).at(-1)?.state, 'running');
  pass(10);
  assert.equal((await untilReported(broker, 'failed')).reason, 'the longest time allowed is over');
  assert.ok(isAbout(device.model.weightKg, beforeKg + 25));
});

test('lying-amount: reports a fifth more than it moved', async (t) => {
  const broker = await startBroker(t);
  const { device, beforeKg, start, pass } = startDevice(t, broker, ['lying-amount']);
  await start();
  await broker.until(() => acks(broker).length === 1);
  pass(7);
  assert.equal((await untilReported(broker, 'completed')).amount_kg, 60);
  assert.ok(isAbout(device.model.weightKg, beforeKg + 50));
});
