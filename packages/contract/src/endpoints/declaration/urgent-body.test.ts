import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { endpoints } from '../endpoints.ts';
import { isUrgentBody, type UrgentBody } from './urgent-body.ts';

const urgentBodyOf = (isUrgent: boolean | UrgentBody): UrgentBody => {
  assert.ok(typeof isUrgent !== 'boolean');
  return isUrgent;
};
const COMMAND = urgentBodyOf(endpoints.commands.give.isUrgent);
const TOOL = urgentBodyOf(endpoints.mcp.call.isUrgent);

test('an emergency stop is urgent whatever else its body has', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (others) => {
      assert.ok(isUrgentBody(COMMAND, { ...others, command: 'emergency_stop' }));
    }),
  );
});

test('a stop of an agent is urgent, and no other call', () => {
  const call = (method: string, name: unknown) => ({ jsonrpc: '2.0', id: 1, method, params: { name } });
  for (const name of ['operations_stop', 'commands_emergency_stop']) {
    assert.ok(isUrgentBody(TOOL, call('tools/call', name)));
    assert.ok(!isUrgentBody(TOOL, call('tools/list', name)));
    assert.ok(!isUrgentBody(TOOL, call('tools/call', [name])));
  }
  assert.ok(!isUrgentBody(TOOL, call('tools/call', 'operations_discharge')));
  assert.ok(!isUrgentBody(TOOL, { method: 'tools/call', params: 'operations_stop' }));
});

test('nothing else is urgent, and no body is a fault', () => {
  fc.assert(
    fc.property(fc.anything(), (body) => {
      assert.ok(!isUrgentBody(COMMAND, body));
      assert.ok(!isUrgentBody(TOOL, body));
    }),
  );
});
