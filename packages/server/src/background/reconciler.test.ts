import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createLogger } from '../process/logging/logger.ts';
import { Reconciler } from './reconciler.ts';

const NOTHING = { devices: [], hasMore: false };
const DEVICES = Array.from({ length: 10 }, (_, index) => ({
  deviceNo: index,
  deviceId: `silo-${index}`,
  profile: 'silo_scale' as const,
}));

test('a stop waits for what is being sent to devices, and begins nothing more', async () => {
  const asked: (() => void)[] = [];
  const jobs = {
    due: async () => NOTHING,
    isDue: async () => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return false;
    },
    tick: () => assert.fail('nothing is due'),
  };
  const reconciler = new Reconciler({
    app: { operations: jobs, field: jobs, alerts: { evaluateDue: () => assert.fail('not started') } },
    link: { isReachable: () => true },
    setAside: { note: () => undefined },
    priorityCommands: { repeat: () => undefined, retry: async () => undefined },
    evaluator: { retry: () => undefined },
    uptime: { during: () => assert.fail('not started') },
    logger: createLogger('silent'),
    now: Date.now,
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
