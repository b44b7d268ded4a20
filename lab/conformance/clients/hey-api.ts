import assert from 'node:assert/strict';
import { client } from './granary/client.gen.js';
import {
  devicesFieldList,
  devicesSiloRegister,
  devicesSiloRemove,
  fleetDevices,
  telemetryFieldLocation,
  telemetrySiloSend,
} from './granary/sdk.gen.js';

/** A tour with the functions that `@hey-api/openapi-ts` made from the document. */
client.setConfig({
  baseUrl: process.env['GRANARY_URL'] ?? '',
  auth: () => process.env['GRANARY_API_KEY'] ?? '',
});

const fleet = await fleetDevices({ query: { include: 'readings', limit: 100 } });
assert.ok((fleet.data?.data.length ?? 0) > 10);

const rovers = await devicesFieldList();
const rover = rovers.data?.data.find(({ profile }) => profile === 'rover');
assert.ok(rover);
const location = await telemetryFieldLocation({ path: { device_id: rover.device_id } });
assert.equal(typeof location.data?.data.coordinates.latitude, 'number');

const registered = await devicesSiloRegister({
  body: {
    device_id: 'tour-silo',
    name: 'Tour',
    model: 'DIY',
    location: { facility: 'home', zone: 'yard' },
    capacity: { max: 1_000, unit: 'kg' },
  },
});
assert.ok(registered.data?.data.credentials.secret);
const path = { device_id: 'tour-silo' };
const stored = await telemetrySiloSend({ path, body: { ts: Date.now(), weight: 512.5 } });
assert.equal(stored.data?.data.stored, 1);
const unknown = { device_id: 'no-silo' };
const refused = await telemetrySiloSend({ path: unknown, body: { ts: Date.now(), weight: 1 } });
assert.equal(refused.error?.error.code, 'device_not_found');
const removed = await devicesSiloRemove({ path });
assert.ok(removed.data);
console.log('  the tour with @hey-api/openapi-ts is complete');
