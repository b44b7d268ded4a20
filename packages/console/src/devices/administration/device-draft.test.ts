import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@granary/client';
import { checkFieldRegistration, checkSiloRegistration } from '@granary/contract/devices/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import {
  changedFields,
  type DeviceDraft,
  draftOfDevice,
  mergedDraft,
  patchOf,
  registerDevice,
} from './device-draft.ts';

const CO2 = {
  sensor_id: 'co2',
  type: 'co2',
  unit: 'ppm',
  precision: '0',
  min: '',
  max: '10000',
  reporting_interval_s: '',
};
const DRAFT: DeviceDraft = {
  name: ' Silo 8 ',
  model: 'GS-100',
  facility: 'north',
  zone: 'yard',
  firmware_version: '',
  capacity: '20000',
  labels: 'product=wheat, season=2026',
  sensors: [CO2],
};

/** Returns the request of a registration, and the group of endpoints to which it is sent. */
async function registrationOf(
  profile: ProfileName,
  deviceId: string,
  draft: DeviceDraft,
): Promise<{ group: string; body: object }> {
  const sent: { group: string; body: object }[] = [];
  const endpoint = (group: string) => ({
    register: async (body: object) => {
      sent.push({ group, body });
      return { credentials: { username: deviceId, secret: 's' } };
    },
  });
  const client = { devices: { silo: endpoint('silo'), field: endpoint('field') } } as unknown as Client;
  await registerDevice(client, profile, deviceId, draft, {});
  assert.ok(sent.length === 1 && sent[0] !== undefined);
  return sent[0];
}

test('the form of a silo is a registration that the service accepts', async () => {
  const { group, body } = await registrationOf('silo_scale', ' silo-8 ', DRAFT);
  assert.equal(group, 'silo');
  assert.deepEqual(body, {
    device_id: 'silo-8',
    name: 'Silo 8',
    model: 'GS-100',
    location: { facility: 'north', zone: 'yard' },
    labels: { product: 'wheat', season: '2026' },
    capacity: { max: 20_000, unit: 'kg' },
    sensors: [{ sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0, max: 10_000 }],
  });
  assert.ok(checkSiloRegistration.accepts(body));
});

test('a field device has its profile and no capacity', async () => {
  const { group, body } = await registrationOf('weather_station', 'ws-1', { ...DRAFT, sensors: [] });
  assert.equal(group, 'field');
  assert.ok('profile' in body && body.profile === 'weather_station');
  assert.ok(checkFieldRegistration.accepts(body));
});

const BEFORE: DeviceDraft = { ...DRAFT, name: 'Silo 8' };

test('a change contains only what was changed', () => {
  assert.deepEqual(patchOf(DRAFT, BEFORE), {});
  assert.deepEqual(patchOf({ ...BEFORE, zone: 'yard 2', capacity: '25000' }, BEFORE), {
    location: { zone: 'yard 2' },
    capacity: { max: 25_000, unit: 'kg' },
  });
  assert.deepEqual(patchOf({ ...BEFORE, sensors: [] }, BEFORE), { sensors: [] });
  assert.deepEqual(patchOf({ ...BEFORE, labels: 'product = a=b,, organic=yes' }, BEFORE), {
    labels: { product: 'a=b', organic: 'yes', season: null },
  });
});

test('after a change of another person the own entries stay', () => {
  const now = { ...BEFORE, name: 'Reserve', zone: 'quay' };
  const mine = { ...BEFORE, name: 'Mine' };
  assert.deepEqual(mergedDraft(mine, BEFORE, now), { ...now, name: 'Mine' });
  assert.deepEqual(changedFields(BEFORE, now), ['name', 'zone']);
});

test('the standard sensors of a silo are not part of its form', () => {
  const draft = draftOfDevice({
    device_id: 'silo-8',
    name: 'Silo 8',
    model: 'GS-100',
    profile: 'silo_scale',
    status: 'online',
    location: { facility: 'north', zone: 'yard' },
    last_seen: null,
    firmware_version: '1',
    clock_offset_s: null,
    refused_readings: null,
    capacity: { max: 20_000, unit: 'kg' },
    sensors: [
      { type: 'level', sensor_id: 'silo-8-level', status: 'active' },
      {
        type: 'co2',
        sensor_id: 'co2',
        status: 'active',
        unit: 'ppm',
        precision: 0,
        min: 0,
        max: 1,
        reporting_interval_s: null,
      },
    ],
  });
  assert.deepEqual(
    draft.sensors.map(({ sensor_id }) => sensor_id),
    ['co2'],
  );
});
