import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { JobQueue } from './run-writer.ts';
import type { Job } from './writer-client.ts';

const job = (id: number, isUrgent = false): Job => ({ id, call: null, isUrgent, expiresAtMs: 0 });

/** A queue whose jobs each take 4 ms; `arriving` has the jobs that arrive while a job runs. */
function queueOf(...jobs: readonly Job[]) {
  let nowMs = 0;
  const queue = new JobQueue<Job>(() => nowMs);
  for (const one of jobs) queue.add(one);
  const group = (arriving: ReadonlyMap<number, Job> = new Map()): number[] => {
    const ids: number[] = [];
    const refill = (): void => {
      const arrived = arriving.get(ids.at(-1) ?? 0);
      if (arrived !== undefined) queue.add(arrived);
    };
    for (const { id } of queue.nextGroup(refill)) {
      ids.push(id);
      nowMs += 4;
    }
    return ids;
  };
  return { queue, group };
}

describe('the queue of the writer', () => {
  it('ends a group after ten milliseconds of work, and keeps the order', () => {
    const { queue, group } = queueOf(job(1), job(2), job(3), job(4), job(5));
    assert.deepEqual([group(), group(), queue.isEmpty], [[1, 2, 3], [4, 5], true]);
  });

  it('gives at least one job to a group, however late its thread gets the processor', () => {
    let nowMs = 0;
    const queue = new JobQueue<Job>(() => (nowMs += 1_000));
    queue.add(job(1));
    queue.add(job(2));
    assert.deepEqual(
      [...queue.nextGroup(() => undefined)].map(({ id }) => id),
      [1],
    );
  });

  it('takes urgent jobs first and commits them without other work', () => {
    const { group } = queueOf(job(1), job(2), job(3, true), job(4, true));
    assert.deepEqual(group(), [3, 4]);
  });

  it('lets an urgent job that arrives wait for the running job only', () => {
    const { group } = queueOf(job(1), job(2), job(3));
    assert.deepEqual(
      [group(new Map([[1, job(9, true)]])), group()],
      [
        [1, 9],
        [2, 3],
      ],
    );
  });

  it('does not let urgent jobs keep the others waiting for ever', () => {
    const { queue, group } = queueOf(job(1), job(2), job(11, true));
    assert.deepEqual(group(), [11]);
    queue.add(job(12, true));
    assert.deepEqual(group(), [12, 1]);
    queue.add(job(13, true));
    assert.deepEqual([group(), group()], [[13], [2]]);
  });

  it('gives away all waiting jobs', () => {
    const { queue } = queueOf(job(1), job(2, true));
    assert.deepEqual([queue.takeAll().map(({ id }) => id), queue.isEmpty], [[2, 1], true]);
  });
});
