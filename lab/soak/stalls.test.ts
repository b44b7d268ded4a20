import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeStalls } from './stalls.ts';

const RUNNING_MS = 500;
const SUSPENDED_MS = 2_000;

const at = (second: number, lateMs: number) => ({ atMs: Date.UTC(2026, 0, 1, 5, 0, second), lateMs });

describe('the stalls of the machine', () => {
  it('are told in one sentence', () => {
    assert.equal(
      describeStalls([]),
      'A thread with nothing else to do never woke up 100 ms or more too late.',
    );
    assert.match(describeStalls([at(1, 150)]), /too late once \(150 ms at 05:00:01\)/);
    assert.equal(
      describeStalls([at(1, 150), at(2, 1_200.4)]),
      'A thread with nothing else to do woke up 100 ms or more too late 2 times (150 ms at 05:00:01, 1,200 ms at 05:00:02).',
    );
  });

  it('are listed up to the longest ten, in the order of their times', () => {
    const told = describeStalls(Array.from({ length: 12 }, (_, second) => at(second, 300 - second)));
    assert.match(told, /12 times \(the longest 10: 300 ms at 05:00:00, .*291 ms at 05:00:09\)/);
  });

  it('are recorded when a process is suspended', { timeout: 60_000 }, async (t) => {
    const program = `
      const { StallRecorder } = await import(${JSON.stringify(new URL('./stalls.ts', import.meta.url))});
      const recorder = new StallRecorder();
      console.log('recording');
      setInterval(() => {
        if (!recorder.stalls.some(({ lateMs }) => lateMs > ${SUSPENDED_MS / 2})) return;
        console.log('recorded');
        process.exit();
      }, 10);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    t.after(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    const recorded = once(lines, 'line');
    // On a busy machine the thread may start to record only after the first suspension.
    for (let line: unknown[] | null = null; line === null; ) {
      await sleep(RUNNING_MS);
      child.kill('SIGSTOP');
      await sleep(SUSPENDED_MS);
      child.kill('SIGCONT');
      line = await Promise.race([recorded, sleep(RUNNING_MS, null)]);
      if (line !== null) assert.deepEqual(line, ['recorded']);
    }
  });
});
