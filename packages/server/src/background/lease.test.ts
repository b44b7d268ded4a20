import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { keepingLease } from './lease.ts';

const LEASE_MS = 8_000;

/** Runs work that ends when the test says so, under a lease whose renewals are recorded. */
function held(t: TestContext, renewed: (boolean | Error)[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const calls: [fromMs: number, toMs: number][] = [];
  const work = Promise.withResolvers<string>();
  const renew = async (fromMs: number, toMs: number): Promise<boolean> => {
    calls.push([fromMs, toMs]);
    const result = renewed[calls.length - 1] ?? true;
    if (result instanceof Error) throw result;
    return result;
  };
  const done = keepingLease(
    { untilMs: LEASE_MS, leaseMs: LEASE_MS, now: () => nowMs, renew },
    () => work.promise,
  );
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    t.mock.timers.tick(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { calls, pass, done, end: () => work.resolve('sent') };
}

describe('a lease', () => {
  it('is renewed while the work goes on, and not afterwards', async (t) => {
    const { calls, pass, done, end } = held(t, []);
    await pass(2_000);
    await pass(2_000);
    assert.deepEqual(calls, [
      [8_000, 10_000],
      [10_000, 12_000],
    ]);
    end();
    assert.equal(await done, 'sent');
    await pass(2_000);
    assert.equal(calls.length, 2);
  });

  it('is tried to be renewed again after a failure, from the end that is known', async (t) => {
    const { calls, pass, done, end } = held(t, [new Error('no storage'), true]);
    await pass(2_000);
    await pass(2_000);
    assert.deepEqual(calls, [
      [8_000, 10_000],
      [8_000, 12_000],
    ]);
    end();
    await done;
  });

  it('is left to whoever has it', async (t) => {
    const { calls, pass, done, end } = held(t, [false]);
    await pass(2_000);
    await pass(2_000);
    assert.equal(calls.length, 1);
    end();
    await done;
  });
});
