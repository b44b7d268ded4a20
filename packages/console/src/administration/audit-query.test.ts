import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAuditQuery } from '@granary/contract/audit';
import { auditCsv, auditQuery } from './audit-query.ts';

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

test('the file has one line for each entry, and nothing that a spreadsheet computes', () => {
  const entry = {
    audit_id: 'au_1',
    at: '2026-11-15T08:00:00.000Z',
    request_id: 'req_1',
    actor: {
      key_id: 'per_1',
      key_name: '=HYPERLINK("x")',
      actor: null,
      confirmed_by: { key_id: 'per_2', name: 'Bo' },
    },
    address: '10.0.0.1',
    action: 'operations.feed',
    method: 'POST',
    path: '/v1/siloscale/devices/silo-1/operations/feed',
    device_id: 'silo-1',
    resource_id: null,
    result: 'done' as const,
    code: null,
    count: 1,
    input: null,
  };
  const [head, first, ...rest] = auditCsv([entry]).split('\r\n');
  assert.equal(head?.split(',').length, 13);
  assert.equal(
    first,
    '2026-11-15T08:00:00.000Z,"\'=HYPERLINK(""x"")",,Bo,operations.feed,silo-1,done,,1,10.0.0.1,POST,/v1/siloscale/devices/silo-1/operations/feed,req_1',
  );
  assert.deepEqual(rest, ['']);
});

test('what one person did is asked for by the id of the person', () => {
  assert.deepEqual(auditQuery(new URLSearchParams('key=per_1')), { key_id: 'per_1' });
});
