import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { App } from '@granary/app/app';
import { createLogger } from '../process/logging/logger.ts';
import { AlertEvaluator, Uptime } from './alert-evaluator.ts';
import { SetAsideLog } from './set-aside-log.ts';

/** An evaluator whose evaluations are recorded. */
function recording(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rounds: (readonly number[])[] = [];
  let isFailing = false;
  const alerts = {
    beginObservation: async () => undefined,
    evaluate: async ({ deviceNos }: { readonly deviceNos: readonly number[] }) => {
      if (isFailing) throw new Error('no storage');
      rounds.push(deviceNos);
      return { changes: 0, setAside: [] };
    },
  };
  const app = { alerts } as unknown as App;
  const logger = createLogger('silent');
  const evaluator = new AlertEvaluator({
    app,
    logger,
    uptime: new Uptime({ app, now: () => 0, isReceiving: null }),
    setAside: new SetAsideLog(logger),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const fail = (failing: boolean): void => {
    isFailing = failing;
  };
  return { evaluator, rounds, settled, fail };
}

describe('the evaluator of alerts', () => {
  it('evaluates a device at once, and what follows soon after it only once', async (t) => {
    const { evaluator, rounds, settled } = recording(t);
    evaluator.wake([1]);
    await settled();
    assert.deepEqual(rounds, [[1]]);
    for (let message = 0; message < 5; message++) evaluator.wake([1]);
    evaluator.wake([2]);
    await settled();
    assert.deepEqual(rounds, [[1], [2]]);
    t.mock.timers.tick(1_000);
    await settled();
    assert.deepEqual(rounds, [[1], [2], [1]]);
    t.mock.timers.tick(1_000);
    await settled();
    assert.equal(rounds.length, 3);
  });

  it('evaluates what still waits when it is drained', async (t) => {
    const { evaluator, rounds, settled } = recording(t);
    evaluator.wake([1]);
    await settled();
    evaluator.wake([1]);
    await evaluator.drain();
    assert.deepEqual(rounds, [[1], [1]]);
  });

  it('tries again after a failure', async (t) => {
    const { evaluator, rounds, settled, fail } = recording(t);
    fail(true);
    evaluator.wake([1, 2]);
    await settled();
    fail(false);
    evaluator.retry();
    await settled();
    assert.deepEqual(rounds, [[1, 2]]);
  });
});
