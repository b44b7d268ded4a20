import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LazyReads, ReadQueue } from './tile-facts.ts';

const KEEP_MS = 1_000;

function aService(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: string[] = [];
  const answers: ((value: string | Error) => void)[] = [];
  let nowMs = 0;
  const reads = new LazyReads<string>(
    new ReadQueue(),
    (deviceId) => {
      asked.push(deviceId);
      return new Promise((resolve, reject) => {
        answers.push((value) => (value instanceof Error ? reject(value) : resolve(value)));
      });
    },
    KEEP_MS,
    () => nowMs,
  );
  const answer = async (value: string | Error): Promise<void> => {
    answers.shift()?.(value);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  const rest = (): void => t.mock.timers.tick(150);
  return { asked, reads, answer, pass, rest };
}

test('at most four are read at once, those that were asked for last first, and none while more are asked for', async (t) => {
  const { asked, reads, answer, rest } = aService(t);
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) reads.of(id);
  assert.deepEqual(asked, []);
  rest();
  assert.deepEqual(asked, ['f', 'e', 'd', 'c']);
  await answer('one');
  assert.deepEqual(asked, ['f', 'e', 'd', 'c', 'b']);
  reads.of('g');
  await answer(new Error('no answer'));
  assert.equal(asked.length, 5);
  rest();
  assert.deepEqual(asked, ['f', 'e', 'd', 'c', 'b', 'g']);
});

test('what was scrolled away before it was read is not read until it is shown again', async (t) => {
  const { asked, reads, answer, rest } = aService(t);
  for (let device = 0; device < 200; device++) reads.of(String(device));
  rest();
  for (let read = 0; read < 200; read++) await answer('value');
  assert.equal(asked.length, 120);
  assert.ok(asked.includes('199') && !asked.includes('10'));
  reads.of('10');
  rest();
  assert.equal(asked.at(-1), '10');
});

test('a value is kept for its time, and what was read stays until the new value has arrived', async (t) => {
  const { asked, reads, answer, pass, rest } = aService(t);
  const value = reads.of('a');
  reads.of('a');
  rest();
  await answer('first');
  assert.equal(value.value, 'first');
  pass(KEEP_MS);
  assert.equal(reads.of('a').value, 'first');
  rest();
  assert.deepEqual(asked, ['a', 'a']);
  await answer(new Error('no answer'));
  assert.equal(value.value, 'first');
});

test('a change is read at once where the value is shown, and not before it was ever shown', async (t) => {
  const { asked, reads, answer, rest } = aService(t);
  reads.forget('a');
  rest();
  assert.deepEqual(asked, []);
  reads.of('a');
  rest();
  await answer('first');
  reads.forget('a');
  rest();
  assert.deepEqual(asked, ['a', 'a']);
});
