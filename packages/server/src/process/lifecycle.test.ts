import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lifecycle, type Part } from './lifecycle.ts';

function recordingPart(name: string, done: string[], fails = false): Part {
  return {
    start: async () => {
      done.push(`start ${name}`);
      if (fails) throw new Error(`${name} does not start`);
    },
    stop: async () => void done.push(`stop ${name}`),
  };
}

test('parts are stopped in the reverse order of their start, each once', async () => {
  const done: string[] = [];
  const lifecycle = new Lifecycle();
  await lifecycle.start(recordingPart('storage', done), recordingPart('link', done));
  lifecycle.onStop(() => void done.push('refuse requests'));
  await lifecycle.stop();
  await lifecycle.stop();
  assert.deepEqual(done, ['start storage', 'start link', 'refuse requests', 'stop link', 'stop storage']);
});

test('after a part that does not start, only those before it are stopped', async () => {
  const done: string[] = [];
  const lifecycle = new Lifecycle();
  const started = lifecycle.start(
    recordingPart('storage', done),
    recordingPart('link', done, true),
    recordingPart('http', done),
  );
  await assert.rejects(started, /link does not start/);
  await lifecycle.stop();
  assert.deepEqual(done, ['start storage', 'start link', 'stop storage']);
});
