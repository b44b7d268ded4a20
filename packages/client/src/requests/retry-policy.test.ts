import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, UnreachableError } from '../failures.ts';
import { attemptLimitMs, isTemporary, paceOf, retryAfterMs, waitBeforeNextMs } from './retry-policy.ts';

const refusal = (status: number, code: string, retryAfterMs?: number): ApiError =>
  new ApiError({ status, code, message: 'no', retryAfterMs });

const unreachable = new UnreachableError('http://s', { cause: new Error('down') });

test('what may succeed later is told from what will not', () => {
  const temporary = [
    unreachable,
    refusal(429, 'rate_limited'),
    refusal(409, 'idempotency_in_progress'),
    refusal(503, 'storage_unavailable'),
    refusal(502, 'unexpected_answer'),
  ];
  const final = [
    refusal(409, 'device_offline'),
    refusal(401, 'unauthorized'),
    refusal(429, 'too_many_failed_logins'),
    refusal(503, 'storage_full'),
    refusal(500, 'internal_error'),
    refusal(200, 'unexpected_answer'),
    new TypeError('a fault of the caller'),
  ];
  assert.deepEqual(
    temporary.map((failure) => isTemporary(failure, paceOf(false))),
    Array(temporary.length).fill(true),
  );
  assert.deepEqual(
    final.map((failure) => isTemporary(failure, paceOf(false))),
    Array(final.length).fill(false),
  );
});

test('a stop is repeated after every fault of the service, but not after a refusal', () => {
  const failures = [refusal(500, 'internal_error'), refusal(503, 'storage_full'), refusal(403, 'forbidden')];
  assert.deepEqual(
    failures.map((failure) => isTemporary(failure, paceOf(true))),
    [true, true, false],
  );
});

test('the wait doubles up to a limit, and a random part shortens it by up to half', () => {
  const wait = (attempt: number, random: number) =>
    waitBeforeNextMs(attempt, unreachable, paceOf(false), () => random);
  assert.deepEqual(
    [1, 2, 3, 5, 6, 60].map((attempt) => wait(attempt, 1)),
    [250, 500, 1_000, 4_000, 5_000, 5_000],
  );
  assert.equal(wait(3, 0), 500);
});

test('a stop waits shortly, whatever a server asks for', () => {
  const failure = refusal(503, 'storage_unavailable', 9_000);
  assert.equal(
    waitBeforeNextMs(1, failure, paceOf(false), () => 1),
    9_000,
  );
  assert.equal(
    waitBeforeNextMs(1, failure, paceOf(true), () => 1),
    100,
  );
  assert.equal(
    waitBeforeNextMs(50, failure, paceOf(true), () => 1),
    500,
  );
  assert.deepEqual([attemptLimitMs(1, paceOf(true)), attemptLimitMs(3, paceOf(true))], [2_000, 8_000]);
});

test('Retry-After is read as seconds and as a date', () => {
  const nowMs = Date.parse('2026-11-15T08:00:00Z');
  assert.equal(retryAfterMs('3', nowMs), 3_000);
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 08:00:05 GMT', nowMs), 5_000);
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 07:00:00 GMT', nowMs), 0);
  assert.equal(retryAfterMs('soon', nowMs), undefined);
  assert.equal(retryAfterMs(null, nowMs), undefined);
});
