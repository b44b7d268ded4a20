import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { PasswordFailures } from './password-failures.ts';

function failuresAt(startMs: number) {
  const clock = { nowMs: startMs };
  const failures = new PasswordFailures(() => clock.nowMs);
  const fail = (times: number, login: string, address: string) => {
    for (let n = 0; n < times; n++) failures.failed(login, address);
  };
  return { clock, failures, fail };
}

test('a few wrong passwords are free, then the wait doubles up to a minute', () => {
  const { clock, failures, fail } = failuresAt(1_000_000);
  fail(5, 'ada', '192.0.2.1');
  assert.equal(failures.waitMs('ada', '192.0.2.1'), 0);
  fail(1, 'ada', '192.0.2.1');
  assert.equal(failures.waitMs('ada', '192.0.2.1'), SECOND_MS);
  fail(1, 'ada', '192.0.2.1');
  assert.equal(failures.waitMs('ada', '192.0.2.1'), 2 * SECOND_MS);
  fail(100, 'ada', '192.0.2.1');
  assert.equal(failures.waitMs('ada', '192.0.2.1'), MINUTE_MS);
  clock.nowMs += MINUTE_MS;
  assert.equal(failures.waitMs('ada', '192.0.2.1'), 0);
});

test('who has signed in from an address does not wait there for the failures of others', () => {
  const { failures, fail } = failuresAt(1_000_000);
  failures.succeeded('ada', '192.0.2.1');
  fail(200, 'ada', '198.51.100.7');
  fail(200, 'bob', '192.0.2.1');
  assert.equal(failures.waitMs('ada', '192.0.2.1'), 0);
  assert.ok(failures.waitMs('ada', '203.0.113.9') > 0, 'the name is guessed at from everywhere');
  assert.ok(failures.waitMs('cleo', '192.0.2.1') > 0, 'the address guesses at every name');
  fail(6, 'ada', '192.0.2.1');
  assert.ok(failures.waitMs('ada', '192.0.2.1') > 0, 'and its own failures count');
});

test('a clock that is set back lets nobody wait longer', () => {
  const { clock, failures, fail } = failuresAt(100 * MINUTE_MS);
  fail(100, 'ada', '192.0.2.1');
  clock.nowMs -= 60 * MINUTE_MS;
  assert.equal(failures.waitMs('ada', '192.0.2.1'), 0);
});
