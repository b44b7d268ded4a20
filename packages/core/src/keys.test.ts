import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES, SCOPES } from '@granary/contract/keys';
import fc from 'fast-check';
import {
  callerWithin,
  canAccess,
  grantOf,
  grantsWithin,
  hasFacility,
  hasScope,
  isUnlimited,
  isValidAt,
  limitsAmong,
  limitsWith,
  mayPlace,
  reachOf,
  UNLIMITED,
} from './keys.ts';

const SILO = { deviceId: 'silo-1', facility: 'north' };
const area = (facilities: string[] | null, deviceIds: string[] | null = null) => ({ facilities, deviceIds });
test('an area holds what lies inside both of its limits', () => {
  assert.equal(canAccess(UNLIMITED, SILO), true);
  assert.equal(canAccess([area(['north'])], SILO), true);
  assert.equal(canAccess([area(['south'])], SILO), false);
  assert.equal(canAccess([area(null, ['silo-1'])], SILO), true);
  assert.equal(canAccess([area(null, ['silo-2'])], SILO), false);
  assert.equal(canAccess([area(['north'], ['silo-2'])], SILO), false);
  assert.equal(canAccess([area(['south']), area(null, ['silo-1'])], SILO), true);
  assert.equal(canAccess([], SILO), false);
  assert.equal(isUnlimited(UNLIMITED), true);
  assert.equal(isUnlimited([area(null, ['silo-1'])]), false);
  assert.equal(isUnlimited([]), false);
});

test('there are rights in the facilities that are named, and in all only if nothing limits them', () => {
  assert.equal(hasFacility(UNLIMITED, 'north'), true);
  assert.equal(hasFacility([area(['north'])], 'north'), true);
  assert.equal(hasFacility([area(['south'])], 'north'), false);
  assert.equal(hasFacility([area(null, ['silo-1'])], 'north'), false);
  assert.equal(hasFacility([area(['north'], ['silo-1'])], 'north'), false, 'those are devices in it');
  assert.equal(mayPlace([area(['north'], ['silo-1'])], SILO), true);
  assert.equal(mayPlace([area(null, ['silo-1'])], SILO), false);
  assert.equal(mayPlace([area(['north'], ['silo-2'])], SILO), false);
  assert.equal(mayPlace(UNLIMITED, SILO), true);
});

test('a caller has a scope only where a grant gives it, and whoever operates may stop', () => {
  const grants = [
    grantOf(ROLES.viewer, null),
    grantOf(ROLES.operator, ['north']),
    grantOf(['stop'], ['south']),
  ];
  assert.deepEqual(limitsWith({ grants }, 'read'), UNLIMITED);
  assert.deepEqual(limitsWith({ grants }, 'operate'), [area(['north'])]);
  assert.deepEqual(limitsWith({ grants }, 'stop'), [area(['north', 'south'])]);
  assert.deepEqual(limitsWith({ grants }, 'admin'), []);
  assert.equal(hasScope({ grants }, 'stop'), true);
  assert.equal(hasScope({ grants: [grantOf(['stop'], null)] }, 'operate'), false);
  assert.equal(hasScope({ grants }, 'configure'), false);
});

test('an administrator may not operate', () => {
  for (const role of ['administrator', 'site_administrator'] as const) {
    assert.equal(hasScope({ grants: [grantOf(ROLES[role], null)] }, 'stop'), false);
  }
});

const names = fc.option(fc.subarray(['a', 'b', 'c'], { minLength: 1 }), { nil: null });
const grants = fc.array(
  fc.record({
    role: fc.constant(null),
    scopes: fc.subarray([...SCOPES], { minLength: 1 }),
    facilities: names,
    deviceIds: names,
  }),
  { maxLength: 5 },
);
const place = fc.record({
  deviceId: fc.constantFrom('a', 'b', 'd'),
  facility: fc.constantFrom('a', 'b', 'd'),
});

test('the areas of several grants allow what any one of them allows', () => {
  fc.assert(
    fc.property(grants, fc.constantFrom(...SCOPES), place, (all, scope, at) => {
      const limits = limitsWith({ grants: all }, scope);
      const alone = all.map((one) => limitsWith({ grants: [one] }, scope));
      assert.equal(
        canAccess(limits, at),
        alone.some((one) => canAccess(one, at)),
      );
      assert.equal(
        hasFacility(limits, at.facility),
        alone.some((one) => hasFacility(one, at.facility)),
      );
      assert.equal(isUnlimited(limits), alone.some(isUnlimited));
      const among = limitsAmong(limits, ['b', 'd']);
      assert.equal(canAccess(among, at), canAccess(limits, at) && ['b', 'd'].includes(at.deviceId));
    }),
  );
});

test('all grants together are shown as one', () => {
  const one = grantOf(['operate', 'read'], ['north'], ['silo-1']);
  assert.deepEqual(reachOf({ grants: [one] }), {
    scopes: ['operate', 'read'],
    facilities: ['north'],
    device_ids: ['silo-1'],
  });
  assert.deepEqual(reachOf({ grants: [one, grantOf(['read', 'admin'], null)] }), {
    scopes: ['operate', 'read', 'admin'],
    facilities: null,
    device_ids: null,
  });
});

test('a key lives until it expires or is revoked', () => {
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 6, revokedAtMs: null }, 5), true);
  assert.equal(isValidAt({ expiresAtMs: 5, revokedAtMs: null }, 5), false);
  assert.equal(isValidAt({ expiresAtMs: null, revokedAtMs: 5 }, 5), false);
});

test('a personal key allows what it and its owner both allow, wherever they do', () => {
  const names = fc.option(fc.subarray(['north', 'south', 'east'], { minLength: 1 }), { nil: null });
  const ids = fc.option(fc.subarray(['silo-1', 'silo-2'], { minLength: 1 }), { nil: null });
  const grant = fc
    .tuple(fc.subarray([...SCOPES], { minLength: 1 }), names, ids)
    .map(([scopes, facilities, deviceIds]) => grantOf(scopes, facilities, deviceIds));
  const access = fc.array(grant, { maxLength: 4 }).map((grants) => ({ grants }));
  const place = fc.record({
    facility: fc.constantFrom('north', 'south', 'west'),
    deviceId: fc.constantFrom('silo-1', 'silo-3'),
  });
  fc.assert(
    fc.property(access, access, fc.constantFrom(...SCOPES), place, (owner, key, scope, where) => {
      const may = (of: typeof owner) => canAccess(limitsWith(of, scope), where);
      assert.equal(may({ grants: grantsWithin(owner, key) }), may(owner) && may(key));
    }),
  );
});

test('a personal key calls as its owner, and ends with the first of both', () => {
  const rest = { createdAtMs: 1, lastUsedAtMs: null, grants: [grantOf(['read'])] };
  const owner = { ...rest, keyId: 'per_1', kind: 'person', name: 'Ada', ownerId: null } as const;
  const key = { ...rest, keyId: 'key_1', kind: 'service', name: 'laptop', ownerId: 'per_1' } as const;
  const within = (of: object, own: object) =>
    callerWithin(
      { ...owner, expiresAtMs: null, revokedAtMs: null, ...of },
      { ...key, expiresAtMs: null, revokedAtMs: null, ...own },
    );
  const { keyId, name, kind, personalKeyId } = within({}, {});
  assert.deepEqual([keyId, name, kind, personalKeyId], ['per_1', 'Ada', 'person', 'key_1']);
  assert.equal(isValidAt(within({ revokedAtMs: 5 }, {}), 5), false);
  assert.equal(isValidAt(within({}, { revokedAtMs: 5 }), 5), false);
  assert.equal(within({ expiresAtMs: 9 }, { expiresAtMs: 5 }).expiresAtMs, 5);
});
