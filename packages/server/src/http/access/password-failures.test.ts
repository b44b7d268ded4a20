import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { PasswordFailures } from './password-failures.ts';

const NOTHING = { network: null, place: null };

function failuresAt(startMs: number) {
  const clock = { nowMs: startMs };
  const failures = new PasswordFailures(() => clock.nowMs);
  const elsewhere = (login: string, network: string) => ({ login, place: '', network, address: network });
  const take = (login: string, network: string, stored = {}) =>
    failures.take(elsewhere(login, network), { ...NOTHING, ...stored });
  /** Makes guesses that are all checked, because each waits as long as it must. */
  const fail = (times: number, login: string, network: string) => {
    for (let n = 0; n < times; n++) {
      clock.nowMs += take(login, network);
      take(login, network);
    }
  };
  return { clock, failures, elsewhere, take, fail };
}

test('one that was refused is refused again without being looked for, until its wait is over', () => {
  const { clock, failures, take } = failuresAt(1_000_000);
  for (let n = 0; n < 6; n++) assert.equal(take('ada', '192.0.2.1'), 0);
  assert.equal(failures.refusedMs('ada', '192.0.2.1'), 0);
  assert.equal(take('ada', '192.0.2.1'), SECOND_MS);
  assert.equal(failures.refusedMs('ada', '192.0.2.1'), SECOND_MS);
  assert.equal(failures.refusedMs('bob', '192.0.2.1'), 0);
  clock.nowMs += SECOND_MS / 2;
  assert.equal(failures.refusedMs('ada', '192.0.2.1'), SECOND_MS / 2);
  clock.nowMs -= HOUR_MS;
  assert.equal(failures.refusedMs('ada', '192.0.2.1'), 0, 'a clock that was set back');
});

test('who has signed in somewhere does not wait there for the failures of others', () => {
  const { failures, take, fail } = failuresAt(1_000_000);
  const home = { login: 'ada', place: '192.0.2.0/24', network: '192.0.2.1', address: '192.0.2.1' };
  fail(40, 'bob', '192.0.2.1');
  for (let n = 0; n < 120; n++) take('ada', `198.51.${n}.0/24`);
  assert.ok(take('ada', '203.0.113.0/24') > 0, 'the name is guessed at from everywhere');
  assert.ok(take('cleo', '192.0.2.1') > 0, 'the address guesses at every name');
  assert.equal(failures.take(home, NOTHING), 0);
});

test('right ones are not counted, and a whole sign-in forgets those of its network', () => {
  const { clock, failures, elsewhere, take } = failuresAt(1_000_000);
  const from = elsewhere('ada', '192.0.2.1');
  for (let n = 0; n < 200; n++) {
    assert.equal(take('ada', '192.0.2.1'), 0);
    failures.right(from);
  }
  assert.equal(failures.forget(from), false);
  for (let n = 0; n < 6; n++) take('ada', '192.0.2.1');
  assert.ok(take('ada', '192.0.2.1') > 0);
  clock.nowMs += SECOND_MS;
  assert.equal(take('ada', '192.0.2.1'), 0);
  failures.right(from);
  assert.equal(take('ada', '192.0.2.1'), 0, 'nobody waits after a right one');
  assert.equal(failures.forget(from), true);
  assert.equal(take('ada', '192.0.2.1'), 0);
});

test('what was stored counts where nothing was counted yet, or less', () => {
  const { clock, take } = failuresAt(1_000_000);
  const network = { count: 8, lastAtMs: clock.nowMs };
  assert.equal(take('ada', '192.0.2.1', { network }), 4 * SECOND_MS);
  const place = { count: 100, atMs: clock.nowMs };
  assert.equal(take('bob', '192.0.2.2', { place }), 10 * SECOND_MS);
});

test('a clock that is set back lets nobody wait longer than a minute', () => {
  const { clock, take, fail } = failuresAt(100 * HOUR_MS);
  fail(20, 'ada', '192.0.2.1');
  clock.nowMs -= HOUR_MS;
  assert.ok(take('ada', '192.0.2.1') <= MINUTE_MS);
});
