import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runUntilSignal } from './until-signal.ts';

test('a second interrupt ends a program that cannot stop', async (t) => {
  const path = fileURLToPath(import.meta.resolve('@granary/testing/cli/never-stops'));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'running');
  child.kill('SIGINT');
  assert.equal((await lines.next()).value, 'stopping');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [130, null]);
});

test('a program that waits at its start ends when it is asked to', async (t) => {
  const path = fileURLToPath(import.meta.resolve('@granary/testing/cli/never-starts'));
  const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'starting');
  child.kill('SIGTERM');
  // An exit with 1 would mean that the process did not stop in time.
  assert.deepEqual(await exited, [0, null]);
});

test('started parts are stopped in reverse order when a later step of the start fails', async () => {
  const undone: string[] = [];
  const started = runUntilSignal(async (onStop) => {
    for (const part of ['service', 'farm']) {
      onStop(async () => {
        undone.push(part);
      });
    }
    throw new Error('no room');
  });
  await assert.rejects(started, { message: 'no room' });
  assert.deepEqual(undone, ['farm', 'service']);
});
