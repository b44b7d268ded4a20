import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyReads, ReadQueue } from './tile-facts.ts';

const KEEP_MS = 1_000;

function aService() {
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
  return { asked, reads, answer, pass };
}

test('at most four are read at once, and then the one that was asked for last', async () => {
  const { asked, reads, answer } = aService();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) reads.of(id);
  assert.deepEqual(asked, ['a', 'b', 'c', 'd']);
  await answer('one');
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'f']);
  await answer(new Error('no answer'));
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'f', 'e']);
});

test('what was scrolled away before it was read is not read until it is shown again', async () => {
  const { asked, reads, answer } = aService();
  for (let device = 0; device < 200; device++) reads.of(String(device));
  for (let read = 0; read < 200; read++) await answer('value');
  assert.equal(asked.length, 124);
  assert.ok(asked.includes('199') && !asked.includes('10'));
  reads.of('10');
  assert.equal(asked.at(-1), '10');
});

test('a value is kept for its time, and what was read stays until the new value has arrived', async () => {
  const { asked, reads, answer, pass } = aService();
  const value = reads.of('a');
  reads.of('a');
  await answer('first');
  assert.equal(value.value, 'first');
  pass(KEEP_MS);
  assert.equal(reads.of('a').value, 'first');
  assert.deepEqual(asked, ['a', 'a']);
  await answer(new Error('no answer'));
  assert.equal(value.value, 'first');
});

test('a change is read at once where the value is shown, and not before it was ever shown', async () => {
  const { asked, reads, answer } = aService();
  reads.forget('a');
  assert.deepEqual(asked, []);
  reads.of('a');
  await answer('first');
  reads.forget('a');
  assert.deepEqual(asked, ['a', 'a']);
});
