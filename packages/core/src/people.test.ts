import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantOf } from './keys.ts';
import { grantsOf, mayManage } from './people.ts';

test('whoever administers everything manages everybody', () => {
  const administrator = { grants: grantsOf([{ role: 'administrator' }]) };
  assert.equal(mayManage(administrator, grantsOf([{ role: 'operator' }])), true);
});

test('an administrator of facilities gives at most what they have there', () => {
  const site = grantsOf([{ role: 'site_administrator', facilities: ['north', 'south'] }]);
  const operator = grantsOf([{ role: 'operator', facilities: ['north'] }]);
  const gives = (role: 'viewer' | 'operator' | 'site_administrator', facilities: string[] | null) =>
    mayManage({ grants: [...site, ...operator] }, grantsOf([{ role, facilities }]));
  assert.equal(gives('viewer', ['south']), true);
  assert.equal(gives('viewer', ['east']), false);
  assert.equal(gives('viewer', null), false);
  assert.equal(gives('operator', ['north']), true);
  assert.equal(gives('operator', ['south']), false);
  assert.equal(gives('operator', ['north', 'south']), false);
  assert.equal(gives('site_administrator', ['north']), true);
  assert.equal(mayManage({ grants: site }, operator), false);
  const oneDevice = grantsOf([{ role: 'viewer', facilities: ['north'], device_ids: ['silo-1'] }]);
  assert.equal(mayManage({ grants: site }, oneDevice), true);
  assert.equal(mayManage({ grants: site }, grantsOf([{ role: 'viewer', device_ids: ['silo-1'] }])), false);
});

test('nobody manages without the scope admin', () => {
  assert.equal(mayManage({ grants: [grantOf(['read', 'operate'])] }, grantsOf([{ role: 'viewer' }])), false);
});

test('an administrator of a site names its facilities', () => {
  assert.throws(() => grantsOf([{ role: 'site_administrator' }]), { code: 'invalid_input' });
});

test('an administrator of facilities manages nobody whose rights the identity provider may change', () => {
  const site = { grants: grantsOf([{ role: 'site_administrator', facilities: ['north'] }]) };
  const [viewer] = grantsOf([{ role: 'viewer', facilities: ['north'] }]);
  assert.ok(viewer !== undefined);
  assert.equal(mayManage(site, [viewer]), true);
  assert.equal(mayManage(site, [{ ...viewer, source: 'oidc' }]), false);
  assert.equal(mayManage(site, []), false);
});
