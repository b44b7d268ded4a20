import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PriorityCommands } from '../devices/sending/priority-commands.ts';
import { UrgentDeadline } from '../devices/sending/urgent-deadline.ts';
import { createLogger } from '../process/logging/logger.ts';
import { Reconciler } from './reconciler.ts';

const NOTHING = { devices: [], hasMore: false };
const DEVICES = Array.from({ length: 10 }, (_, index) => ({
  deviceNo: index,
  deviceId: `silo-${index}`,
  profile: 'silo_scale' as const,
}));

function reconcilerWith({
  isDue = async () => false,
  priorityCommands = new PriorityCommands(),
}: {
  readonly isDue?: () => Promise<boolean>;
  readonly priorityCommands?: PriorityCommands;
}): Reconciler {
  const jobs = { due: async () => NOTHING, isDue, tick: () => assert.fail('nothing is due') };
  return new Reconciler({
    app: { operations: jobs, field: jobs, alerts: { evaluateDue: () => assert.fail('not started') } },
    link: { isReachable: () => true },
    setAside: { note: () => undefined },
    priorityCommands,
    stopsInForce: {
      deviceReachable: () => undefined,
      repeat: () => undefined,
      storageAnswered: () => undefined,
    },
    evaluator: { retry: () => undefined },
    uptime: { during: () => assert.fail('not started') },
    logger: createLogger('silent'),
    now: Date.now,
  });
}

test('a stop waits for what is being sent to devices, and begins nothing more', async () => {
  const asked: (() => void)[] = [];
  const reconciler = reconcilerWith({
    isDue: async () => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return false;
    },
  });
  for (const device of DEVICES) reconciler.deviceReachable(device);
  await setImmediate();
  const begun = asked.length;
  assert.ok(begun > 0 && begun < DEVICES.length);
  let isStopped = false;
  const stopped = reconciler.stop().then(() => {
    isStopped = true;
  });
  await setImmediate();
  assert.equal(isStopped, false);
  for (const answer of asked) answer();
  await stopped;
  reconciler.deviceReachable({ deviceNo: 11, deviceId: 'silo-11', profile: 'silo_scale' });
  await setImmediate();
  assert.equal(asked.length, begun);
});

test('an end stores the stops that could not be stored before, each with who asked', async () => {
  const priorityCommands = new PriorityCommands();
  const stored: string[] = [];
  const stop = async (name: string, failures: number): Promise<void> => {
    let failed = 0;
    const store = async (): Promise<void> => {
      if (failed++ < failures) throw new Error('the storage is not available');
      stored.push(name);
    };
    await priorityCommands.sendAndStore(
      { name, deviceId: 'rover-1', blocksMotion: true, send: async () => 'sent', storeLater: store },
      {
        deadline: new UrgentDeadline(),
        storeForCaller: async () => {
          await store();
          return { state: name, isToSend: true };
        },
        assumedState: async () => ({ state: name, isToSend: true }),
      },
    );
  };
  for (let index = 0; index < 150; index++) await stop(`stop ${index}`, 1);
  assert.deepEqual(stored, []);
  await reconcilerWith({ priorityCommands }).stop();
  assert.equal(new Set(stored).size, 150);
});
