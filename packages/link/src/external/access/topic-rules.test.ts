import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAcls, deviceOfRole, deviceRole, deviceRules, hasRules } from './dynamic-security.ts';

test('a device may publish and receive on its own topics only', () => {
  const of = (type: string): string[] =>
    deviceRules('silo-1').flatMap(({ acltype, topic }) => (acltype === type ? [topic] : []));
  const up = ['telemetry', 'status', 'ack', 'progress'].map((subject) => `granary/v1/silo-1/${subject}`);
  const down = ['command', 'config'].map((subject) => `granary/v1/silo-1/${subject}`);
  assert.deepEqual(of('publishClientSend'), up);
  assert.deepEqual(of('subscribeLiteral'), down);
  assert.deepEqual(of('publishClientReceive'), down);
  assert.deepEqual(of('subscribePattern'), []);
});

test('the role of a device names it', () => {
  assert.equal(deviceOfRole(deviceRole('silo-1')), 'silo-1');
  assert.equal(deviceOfRole('admin'), null);
});

test('one rule more, less, other or denied is noticed; the order does not matter', () => {
  const rules = deviceRules('silo-1');
  const acls = asAcls(rules) as { allow: boolean; topic: string }[];
  assert.ok(hasRules(acls.toReversed(), rules));
  assert.ok(!hasRules(acls.slice(1), rules));
  assert.ok(!hasRules([...acls, ...acls.slice(0, 1)], rules));
  assert.ok(!hasRules([...acls.slice(1), ...acls.slice(1, 2)], rules));
  assert.ok(
    !hasRules(
      acls.map((acl, index) => (index === 0 ? { ...acl, topic: '#' } : acl)),
      rules,
    ),
  );
  assert.ok(
    !hasRules(
      acls.map((acl, index) => (index === 0 ? { ...acl, allow: false } : acl)),
      rules,
    ),
  );
  assert.ok(!hasRules(undefined, rules));
});
