import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './granary.js';

/** A tour with a client whose types `openapi-typescript` made from the document. */
const client = createClient<paths>({
  baseUrl: process.env['GRANARY_URL'] ?? '',
  headers: { authorization: `Bearer ${process.env['GRANARY_API_KEY']}` },
});

const devices = await client.GET('/v1/siloscale/devices', { params: { query: { limit: 3 } } });
assert.equal(devices.data?.data.length, 3);
assert.ok(devices.data.page.next_cursor);
const path = { device_id: 'silo-03' };

const readings = await client.GET('/v1/siloscale/devices/{device_id}/sensors', { params: { path } });
assert.equal(typeof readings.data?.data.level.current, 'number');

const history = await client.GET('/v1/siloscale/devices/{device_id}/sensors/history', {
  params: {
    path,
    query: { sensor: 'level', interval: '1d', from: new Date(Date.now() - 7 * 86_400_000).toISOString() },
  },
});
assert.ok(typeof history.data === 'object' && history.data.data.points.length >= 7);

const configuration = await client.GET('/v1/siloscale/devices/{device_id}/config', { params: { path } });
const etag = configuration.response.headers.get('etag') ?? '';
const changed = await client.PUT('/v1/siloscale/devices/{device_id}/config', {
  params: { path, header: { 'If-Match': etag } },
  body: { thresholds: { low_level: 21 } },
});
assert.ok(changed.data);
const stale = await client.PUT('/v1/siloscale/devices/{device_id}/config', {
  params: { path, header: { 'If-Match': etag } },
  body: { thresholds: { low_level: 22 } },
});
assert.equal(stale.error?.error.code, 'stale_version');

const started = await client.POST('/v1/siloscale/devices/{device_id}/operations/discharge', {
  params: { path, header: { 'Idempotency-Key': 'tour-1' } },
  body: { amount: 20, rate: 100, target_container: 'cart' },
});
assert.ok(started.data, JSON.stringify(started.error));
const operation = { ...path, operation_id: started.data.data.operation_id };
await client.POST('/v1/siloscale/devices/{device_id}/operations/{operation_id}/stop', {
  params: { path: operation },
});
let status = '';
for (let tries = 0; tries < 100 && status !== 'stopped' && status !== 'completed'; tries++) {
  const shown = await client.GET('/v1/siloscale/devices/{device_id}/operations/{operation_id}', {
    params: { path: operation },
  });
  status = shown.data?.data.status ?? '';
  await sleep(200);
}
assert.ok(status === 'stopped' || status === 'completed', status);

const overview = await client.GET('/v1/overview');
assert.ok((overview.data?.data.devices.total ?? 0) > 10);
const events = await client.GET('/v1/audit', { params: { query: { limit: 5 } } });
assert.equal(events.data?.data.length, 5);
console.log('  the tour with openapi-fetch is complete');
