import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { LOWER_PRIORITY } from './lower-priority.ts';

const THREAD = `
  const { readlinkSync } = require('node:fs');
  const { getPriority } = require('node:os');
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData).then(({ lowerPriority }) => {
    lowerPriority();
    const isLinux = process.platform === 'linux';
    parentPort.postMessage(getPriority(isLinux ? Number(readlinkSync('/proc/thread-self').split('/').at(-1)) : 0));
  });
`;

test('a thread for long work has a lower priority on Linux, and the others keep theirs', async () => {
  const before = getPriority();
  const workerData = new URL('./lower-priority.ts', import.meta.url).href;
  const thread = new Worker(THREAD, { eval: true, workerData });
  const [priority] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  assert.equal(priority, process.platform === 'linux' ? LOWER_PRIORITY : before);
  assert.equal(getPriority(), before);
});
