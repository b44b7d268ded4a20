import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { grantOf, type StoredCaller } from './keys.ts';
import { newSession, sessionEndMs, sessionRecord } from './session.ts';

const CREATED_MS = Date.UTC(2026, 5, 15);
const KEY = { keyId: 'key_1', kind: 'service' } as const;

test('a session ends seven days after its last use, and thirty days after sign-in at the latest', () => {
  const endAfter = (usedAfterDays: number): number =>
    (sessionEndMs('person', CREATED_MS, CREATED_MS + usedAfterDays * DAY_MS) - CREATED_MS) / DAY_MS;
  assert.deepEqual([0, 1, 20, 23, 24, 29].map(endAfter), [7, 8, 27, 30, 30, 30]);
  assert.equal(newSession('h', KEY, CREATED_MS).expiresAtMs, CREATED_MS + 7 * DAY_MS);
});

test('a session of a terminal or a display does not age while it is used', () => {
  const lateMs = CREATED_MS + 1_000 * DAY_MS;
  for (const kind of ['terminal', 'display'] as const) {
    assert.equal(sessionEndMs(kind, CREATED_MS, lateMs), lateMs + 90 * DAY_MS);
  }
});

test('a further use never ends a session earlier', () => {
  const days = fc.integer({ min: 0, max: 40 * DAY_MS });
  fc.assert(
    fc.property(days, days, (one, other) => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const end = (afterMs: number) => sessionEndMs('service', CREATED_MS, CREATED_MS + afterMs);
      assert.ok(end(first) <= end(last) && end(last) <= CREATED_MS + 30 * DAY_MS);
    }),
  );
});

test('the record of a caller has no secret, and no session where the key itself was sent', () => {
  const key: StoredCaller = {
    keyId: 'key_1',
    kind: 'service',
    name: 'Office',
    grants: [grantOf(['read'], ['north'])],
    ownerId: null,
    personalKeyId: null,
    createdAtMs: CREATED_MS,
    expiresAtMs: null,
    lastUsedAtMs: null,
    revokedAtMs: null,
  };
  const shown = {
    key_id: 'key_1',
    kind: 'service' as const,
    personal_key_id: null,
    grants: [{ role: null, scopes: ['read'], facilities: ['north'], device_ids: null, source: 'local' }],
    name: 'Office',
    scopes: ['read'],
    facilities: ['north'],
    device_ids: null,
    terminal: null,
    expires_at: null,
  };
  assert.deepEqual(sessionRecord(key, null), { ...shown, session: null });
  assert.deepEqual(sessionRecord(key, newSession('hash', KEY, CREATED_MS)), {
    ...shown,
    session: { created_at: '2026-06-15T00:00:00.000Z', expires_at: '2026-06-22T00:00:00.000Z' },
  });
});
