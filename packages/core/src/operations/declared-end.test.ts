import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish, messageOf } from '@granary/contract/sentences/english';
import {
  declaration,
  LATE_MS,
  report,
  SITUATIONS,
  type Situation,
  SOON_MS,
  START_MS,
} from '@granary/testing/core/operation-situations';
import { refuseDeclaration, STOP_CONFIRMATION_MS_MAX } from './declared-end.ts';
import { operationRecord } from './record.ts';
import { statusDetail } from './status-detail.ts';
import { advanceOperation } from './transitions.ts';

const OVERDUE_MS = START_MS + STOP_CONFIRMATION_MS_MAX;

/** Situations in which the end may not be declared, and what the caller is told. */
const REFUSED: readonly (readonly [Situation, nowMs: number, RegExp])[] = [
  ['started', OVERDUE_MS, /is started: stop it first/],
  ['in_progress', OVERDUE_MS, /is in progress: stop it first/],
  ['stopping', OVERDUE_MS - 1, /may still confirm it; its end can be declared from 2001-09-09T01:46:55/],
  ['stopping, unheard', SOON_MS, /may still begin the operation until 2001-09-09T01:46:52/],
  ['unconfirmed, unheard', LATE_MS - 1, /may still begin the operation/],
  ['completed', OVERDUE_MS, /already ended as completed/],
  ['stopped', OVERDUE_MS, /already ended as stopped/],
  ['failed by the device', OVERDUE_MS, /already ended as failed/],
];

const ACCEPTED: readonly (readonly [Situation, nowMs: number])[] = [
  ['stopping', OVERDUE_MS],
  ['unconfirmed', SOON_MS],
  ['unconfirmed, unheard', LATE_MS],
  ['failed as declared', SOON_MS],
];

describe('the end of an operation', () => {
  for (const [situation, nowMs, message] of REFUSED) {
    it(`that is ${situation} cannot be declared after ${nowMs - START_MS} ms`, () => {
      assert.throws(
        () => refuseDeclaration(SITUATIONS[situation], nowMs),
        (error) =>
          error instanceof Refusal && error.code === 'cannot_declare_ended' && message.test(error.message),
      );
      assert.equal(
        advanceOperation(SITUATIONS[situation], declaration, nowMs).operation,
        SITUATIONS[situation],
      );
    });
  }

  for (const [situation, nowMs] of ACCEPTED) {
    it(`that is ${situation} can be declared after ${nowMs - START_MS} ms`, () =>
      refuseDeclaration(SITUATIONS[situation], nowMs));
  }

  it('is recorded with who looked and why, and never as a report of the device', () => {
    const { operation } = advanceOperation(SITUATIONS.stopping, declaration, OVERDUE_MS);
    const record = operationRecord(operation);
    assert.deepEqual(record.declared, {
      reason: 'the gate is closed',
      looked_by: 'Ada',
      at: '2001-09-09T01:46:55.000Z',
      by: null,
    });
    assert.deepEqual(record.failure, {
      reason: 'declared_ended',
      ...messageOf(sentence('declared_ended', { person: 'Ada', reason: 'the gate is closed' })),
    });
    assert.match(record.status_detail, /^It was declared ended by Ada .*the device did not report it;/);
  });

  it('is the same when it is declared again', () => {
    const declared = SITUATIONS['failed as declared'];
    assert.equal(advanceOperation(declared, declaration, OVERDUE_MS).operation, declared);
  });

  it('is corrected by the report that the device is running, which is stopped', () => {
    const { operation, send } = advanceOperation(
      SITUATIONS['failed as declared'],
      report('running'),
      SOON_MS,
    );
    assert.deepEqual([operation.status, operation.failure, send], ['stopping', null, 'stop']);
    assert.match(inEnglish(statusDetail(operation)), /moved again at .* after Ada had declared it ended at/);
    const stopped = advanceOperation(operation, { ...report('stopped'), tsMs: SOON_MS + 1 }, SOON_MS + 1);
    assert.equal(stopped.operation.status, 'stopped');
    assert.match(
      inEnglish(statusDetail(stopped.operation)),
      /The device confirmed the stop.*Ada had declared it ended/,
    );
  });

  it('is replaced by a reported end, and a failure that was known before stays', () => {
    const reported = (situation: Situation) =>
      advanceOperation(SITUATIONS[situation], report('completed'), SOON_MS).operation;
    const completed = reported('failed as declared');
    assert.deepEqual([completed.status, completed.declared?.lookedBy], ['completed', 'Ada']);
    assert.match(
      inEnglish(statusDetail(completed)),
      /completed the operation.*before that, Ada had declared it ended/,
    );
    const failed = reported('failed as declared, failing');
    assert.deepEqual([failed.status, failed.failure?.reason], ['failed', 'no_movement']);
  });
});
