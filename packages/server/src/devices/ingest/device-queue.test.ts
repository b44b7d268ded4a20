import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Refusal } from '@granary/contract/errors';
import { isRefusal } from '@granary/testing/app/fixtures';
import { eventually } from '@granary/testing/server/eventually';
import { newIngestCounters } from './counters.ts';
import { DeviceQueue } from './device-queue.ts';

const unavailable = () => new Refusal('storage_unavailable', 'for the test');

describe('the tasks of a device', () => {
  it('are done in order, each once, however long the storage is not available', async () => {
    const queue = new DeviceQueue(newIngestCounters());
    let isDown = true;
    let attempts = 0;
    const done: string[] = [];
    const task = (name: string) => async () => {
      attempts++;
      if (isDown) throw unavailable();
      done.push(name);
      return name;
    };
    const results = Promise.all([
      queue.run(1, task('1 first')),
      queue.run(1, task('1 second')),
      queue.run(2, task('2 first')),
      queue.run(1, task('1 third')),
    ]);
    await eventually(async () => attempts >= 4, true);
    assert.equal(done.length, 0);
    isDown = false;
    assert.deepEqual(await results, ['1 first', '1 second', '2 first', '1 third']);
    const ofFirst = done.filter((name) => name.startsWith('1'));
    assert.deepEqual(ofFirst, ['1 first', '1 second', '1 third']);
    assert.equal(done.length, 4);
  });

  it('are not all tried again at once where the storage accepts a few at a time', async () => {
    const [devices, acceptedAtOnce] = [2_000, 10];
    const queue = new DeviceQueue(newIngestCounters());
    let attempts = 0;
    let running = 0;
    const task = async () => {
      attempts++;
      if (running >= acceptedAtOnce) throw unavailable();
      running++;
      await setImmediate();
      running--;
    };
    await Promise.all(Array.from({ length: devices }, (_, deviceNo) => queue.run(deviceNo, task)));
    // The first attempt of each device, and at most two for each success.
    assert.ok(attempts <= 3 * devices, `${attempts} attempts`);
  });

  it('of many devices begin a few at a time, and a task that waits for the storage keeps no other from its turn', async () => {
    const queue = new DeviceQueue(newIngestCounters());
    const devices = 500;
    let isDown = true;
    let running = 0;
    let most = 0;
    const task = async () => {
      running++;
      most = Math.max(most, running);
      await setImmediate();
      running--;
      if (isDown) throw unavailable();
    };
    const all = Promise.all(Array.from({ length: devices }, (_, deviceNo) => queue.run(deviceNo, task)));
    const other = queue.run(devices, async () => 'done');
    assert.equal(await other, 'done');
    isDown = false;
    await all;
    assert.ok(most > 1 && most <= 32, `${most} at once`);
  });

  it('continue after one that fails for another reason', async () => {
    const queue = new DeviceQueue(newIngestCounters());
    const failed = queue.run(1, () => Promise.reject(new RangeError('not about the storage')));
    const next = queue.run(1, async () => 'next');
    await assert.rejects(failed, RangeError);
    assert.equal(await next, 'next');
  });

  it('fail when the service stops', async () => {
    const counters = newIngestCounters();
    const queue = new DeviceQueue(counters);
    const held = [1, 1, 2].map((deviceNo) => queue.run(deviceNo, () => Promise.reject(unavailable())));
    const settled = Promise.allSettled(held);
    await eventually(async () => counters.storageFaults >= 2, true);
    queue.stop();
    for (const outcome of await settled) {
      assert.equal(outcome.status, 'rejected');
      assert.ok(isRefusal('storage_unavailable')(outcome.reason));
    }
  });
});
