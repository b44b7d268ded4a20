import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Report, Reports } from './report-queue.ts';

interface Progress {
  readonly id: string;
  readonly facts: readonly number[];
}
type TestReport = Report<string, Progress>;

/** Merging adds the facts about the same job. */
const createReports = () =>
  new Reports<string, Progress>((waiting, newer) =>
    waiting.id === newer.id ? { ...newer, facts: [...waiting.facts, ...newer.facts] } : null,
  );

const ack = (payload: string): TestReport => ({ subject: 'ack', payload });
const progress = (id: string, ...facts: number[]): TestReport => ({
  subject: 'progress',
  payload: { id, facts },
});

function all(reports: Reports<string, Progress>): readonly TestReport[] {
  const taken: TestReport[] = [];
  for (let next = reports.take(); next !== undefined; next = reports.take()) taken.push(next);
  return taken;
}

test('keeps every acknowledgement, and merges progress of the same job, the latest last', () => {
  const reports = createReports();
  for (const { subject, payload } of [ack('a'), progress('a', 1), progress('b', 2), ack('a')]) {
    if (subject === 'ack') reports.ack(payload);
    else reports.progress(payload);
  }
  reports.progress({ id: 'a', facts: [3] });
  assert.deepEqual(all(reports), [ack('a'), progress('b', 2), ack('a'), progress('a', 1, 3)]);
});

test('a report that was taken is not returned again', () => {
  const reports = createReports();
  reports.progress({ id: 'a', facts: [1] });
  assert.deepEqual(reports.take(), progress('a', 1));
  reports.progress({ id: 'a', facts: [2] });
  assert.deepEqual(all(reports), [progress('a', 2)]);
});

test('drops the oldest when there are too many', () => {
  const reports = createReports();
  for (let i = 0; i < 150; i++) reports.ack(`op_${i}`);
  const kept = all(reports);
  assert.equal(kept.length, 100);
  assert.deepEqual(kept[0], ack('op_50'));
});
