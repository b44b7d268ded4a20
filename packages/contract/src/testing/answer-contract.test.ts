import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertKeepsContract } from './answer-contract.ts';

test('an answer that the contract does not promise is found', () => {
  const page = { next_cursor: null };
  const refusal = (code: string) => ({ success: false, error: { code, message: 'm', request_id: 'r' } });
  const WRONG: readonly (readonly [string, string, number, unknown])[] = [
    ['GET', '/v1/siloscale/devices', 200, { success: true, data: [] }],
    ['GET', '/v1/siloscale/devices?limit=1', 200, { success: true, data: [{}], page }],
    ['POST', '/v1/siloscale/devices/s/telemetry', 200, { success: true, data: { stored: 1, more: 1 } }],
    ['GET', '/v1/fielddevice/devices/r/weather', 200, { success: true, data: {} }],
    ['GET', '/v1/keys', 401, { success: false, error: { code: 'no', message: 'm', request_id: 'r' } }],
    ['GET', '/v1/keys', 409, refusal('device_exists')],
    ['GET', '/v1/keys', 400, refusal('unauthorized')],
    ['GET', '/livez', 200, { status: 'well' }],
    ['GET', '/sandbox/plants/1', 404, { error: 404, message: 'm' }],
  ];
  for (const wrong of WRONG) assert.throws(() => assertKeepsContract(...wrong), assert.AssertionError);
  assertKeepsContract('GET', '/v1/siloscale/devices', 200, { success: true, data: [], page });
  assertKeepsContract('GET', '/v1/keys', 401, refusal('unauthorized'));
  assertKeepsContract('GET', '/livez', 200, { status: 'ok' });
});
