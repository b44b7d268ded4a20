import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SITUATIONS, started } from '../testing/operation-situations.ts';
import { OPERATION_DOCUMENT } from './document.ts';
import type { OperationState } from './state.ts';

/** The operation without the fields that the first version did not store. */
function asFirstStored(operation: OperationState, change: object = {}): string {
  const { largestReportedG, isOutcomeUnknown, reopenedAtMs, undelivered, ...first } = operation;
  return JSON.stringify({ ...first, ...change });
}

describe('a stored operation', () => {
  it('is read unchanged, also if it was stored before documents had a version', () => {
    for (const operation of Object.values(SITUATIONS)) {
      assert.deepEqual(OPERATION_DOCUMENT.read(OPERATION_DOCUMENT.write(operation)), operation);
      assert.deepEqual(OPERATION_DOCUMENT.read(JSON.stringify(operation)), operation);
    }
  });

  it('of the first version gets the fields that it did not store', () => {
    const stored = asFirstStored({ ...SITUATIONS.in_progress, amountCompletedG: 700 });
    assert.deepEqual(OPERATION_DOCUMENT.read(stored), {
      ...SITUATIONS.in_progress,
      amountCompletedG: 700,
      largestReportedG: 700,
    });
  });

  it('of the first version with the reason "not_started" has an unknown outcome', () => {
    for (const reason of ['not_started', 'forgotten']) {
      const failure = { reason, message: 'the start did not reach the device in time' };
      const { isOutcomeUnknown, failure: restored } = OPERATION_DOCUMENT.read(
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
      { v: 1_000, ...started },
    ]) {
      assert.throws(() => OPERATION_DOCUMENT.read(JSON.stringify(damaged)));
    }
  });
});
