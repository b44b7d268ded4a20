import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SITUATIONS, started } from '../testing/operation-situations.ts';
import { type OperationState, restoreOperation } from './state.ts';

/** The operation without the fields that the first version did not store. */
function asFirstStored(operation: OperationState, change: object = {}): unknown {
  const { largestReportedG, isOutcomeUnknown, reopenedAtMs, undelivered, ...first } = operation;
  return JSON.parse(JSON.stringify({ ...first, ...change }));
}

describe('a stored operation', () => {
  it('is read unchanged', () => {
    for (const operation of Object.values(SITUATIONS)) {
      assert.deepEqual(restoreOperation(JSON.parse(JSON.stringify(operation))), operation);
    }
  });

  it('of the first version gets the fields that it did not store', () => {
    const stored = asFirstStored({ ...SITUATIONS.in_progress, amountCompletedG: 700 });
    assert.deepEqual(restoreOperation(stored), {
      ...SITUATIONS.in_progress,
      amountCompletedG: 700,
      largestReportedG: 700,
    });
  });

  it('of the first version with the reason "not_started" has an unknown outcome', () => {
    for (const reason of ['not_started', 'forgotten']) {
      const failure = { reason, message: 'the start did not reach the device in time' };
      const { isOutcomeUnknown, failure: restored } = restoreOperation(
        asFirstStored(SITUATIONS['failed as unknown'], { failure }),
      );
      assert.deepEqual([isOutcomeUnknown, restored?.reason], [true, 'outcome_unknown']);
      assert.doesNotMatch(restored?.message ?? '', /did not reach/);
    }
  });

  it('that is damaged is refused', () => {
    for (const damaged of [
      null,
      [],
      'text',
      {},
      { ...started, status: 'flying' },
      { ...started, deviceNo: '1' },
    ]) {
      assert.throws(() => restoreOperation(damaged));
    }
  });
});
