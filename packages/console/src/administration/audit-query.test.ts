import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAuditQuery } from '@granary/contract/audit';
import { auditQuery } from './audit-query.ts';

test('the filters of the address are those of the request', () => {
  const query = auditQuery(
    new URLSearchParams('device=silo-1&actor=Ada&action=operations.feed&result=refused&order=at'),
  );
  assert.deepEqual(query, {
    device_id: 'silo-1',
    actor: 'Ada',
    action: 'operations.feed',
    result: 'refused',
  });
  assert.ok(checkAuditQuery.accepts(query));
});

test('a day lasts from midnight to midnight where the viewer is', () => {
  const { from, to } = auditQuery(new URLSearchParams('day=2026-11-15'));
  assert.deepEqual([from, to], [new Date(2026, 10, 15).toISOString(), new Date(2026, 10, 16).toISOString()]);
});

test('what no filter has is left out', () => {
  assert.deepEqual(auditQuery(new URLSearchParams('result=maybe&day=yesterday&device=')), {});
});
