import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationStatus, OperationType } from '@granary/contract/operations';
import { usualAmountG } from './start-warnings.ts';

const moved = (
  amountCompletedG: number,
  status: OperationStatus = 'completed',
  type: OperationType = 'feed',
) => ({
  type,
  status,
  amountCompletedG,
});

describe('the usual amount of a silo', () => {
  it('is the median of what was completed', () => {
    assert.equal(
      usualAmountG(
        'feed',
        [3, 1, 2, 5, 4].map((g) => moved(g)),
      ),
      3,
    );
    assert.equal(
      usualAmountG(
        'feed',
        [3, 1, 2, 5, 4, 1_000].map((g) => moved(g)),
      ),
      3.5,
    );
  });

  it('is not known from fewer than five of the type', () => {
    assert.equal(usualAmountG('feed', []), null);
    assert.equal(
      usualAmountG(
        'feed',
        [1, 2, 3, 4].map((g) => moved(g)),
      ),
      null,
    );
    const others = [1, 2, 3, 4, 5].map((g) => moved(g, 'completed', 'discharge'));
    assert.equal(usualAmountG('feed', others), null);
  });

  it('leaves out what was stopped, failed, runs or moved nothing', () => {
    const five = [10, 10, 10, 10, 10].map((g) => moved(g));
    const left = (['stopped', 'failed', 'in_progress', 'unconfirmed'] as const).map((status) =>
      moved(1, status),
    );
    assert.equal(usualAmountG('feed', [...left, ...left, moved(0), moved(0), ...five]), 10);
  });
});
