import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { confirmedText, fits, howToConfirm, isConfirmed } from './confirmations.ts';

test('a facility that is named comes before the rest', () => {
  const policy = [
    { facility: null, how: 'pin' as const },
    { facility: 'north', how: 'second_person' as const },
    { facility: 'south', how: 'none' as const },
  ];
  assert.deepEqual(
    ['north', 'south', 'west'].map((facility) => howToConfirm(policy, facility)),
    ['second_person', 'none', 'pin'],
  );
  assert.equal(howToConfirm([], 'north'), 'none');
});

test('a hold and an emergency stop are never confirmed', () => {
  const action = 'commands.give';
  for (const command of ['hold', 'emergency_stop']) {
    assert.equal(isConfirmed({ action, body: { command } }), false);
  }
  for (const body of [{ command: 'release_emergency_stop' }, { command: 'resume' }, null, 'hold']) {
    assert.equal(isConfirmed({ action, body }), true);
  }
  assert.equal(isConfirmed({ action: 'operations.feed', body: { command: 'hold' } }), true);
});

test('requests have the same text only if they are the same', () => {
  const of = (body: unknown, deviceId = 'silo-1', resourceId: string | null = null) =>
    confirmedText({ action: 'operations.feed', deviceId, resourceId, body });
  assert.equal(of({ amount: 5, unit: 'kg' }), of({ unit: 'kg', amount: 5 }));
  assert.equal(of(undefined), of(null));
  for (const other of [
    of({ amount: 50 }),
    of({ amount: '5' }),
    of({ amount: 5, rate: 1 }),
    of([['amount', 5]]),
    of({ amount: 5 }, 'silo-2'),
    of({ amount: 5 }, 'silo-1', 'op_1'),
  ]) {
    assert.notEqual(other, of({ amount: 5 }));
  }
  fc.assert(
    fc.property(fc.jsonValue(), (body) => {
      assert.equal(of(body), of(JSON.parse(JSON.stringify(body))));
    }),
  );
});

test('a confirmation fits the request of its person, and of a second person another one', () => {
  const stored = { hash: 'h', keyId: 'per_1', digest: 'd', expiresAtMs: 0 };
  const own = { ...stored, confirmedBy: { key_id: 'per_1', name: 'Ada' } };
  const other = { ...stored, confirmedBy: { key_id: 'per_2', name: 'Bo' } };
  const wanted = { keyId: 'per_1', digest: 'd' };
  assert.equal(fits(own, wanted, 'pin'), true);
  assert.equal(fits(other, wanted, 'pin'), true);
  assert.equal(fits(own, wanted, 'second_person'), false);
  assert.equal(fits(other, wanted, 'second_person'), true);
  assert.equal(fits(own, { ...wanted, digest: 'e' }, 'pin'), false);
  assert.equal(fits(own, { ...wanted, keyId: 'per_2' }, 'pin'), false);
});
