import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLoggedEvent, type LoggedEvent } from './logged-event.ts';

const DEVICE = {
  device_id: 'silo-7',
  name: 'Silo 7',
  model: 'GS-100',
  profile: 'silo_scale',
  status: 'online',
  location: { facility: 'north', zone: 'yard' },
  last_seen: null,
};
const EVENT = { id: 1, device_id: 'silo-7', at: '2026-11-15T12:00:00.000Z', actor: null };

test('the data of an event is that of its type', () => {
  const faultsOf = (type: string, data: object) => checkLoggedEvent.faults({ ...EVENT, type, data });
  assert.deepEqual(faultsOf('device.registered', DEVICE), []);
  assert.deepEqual(faultsOf('device.credentials_replaced', { device_id: 'silo-7' }), []);
  assert.notDeepEqual(faultsOf('device.registered', { device_id: 'silo-7' }), []);
  assert.notDeepEqual(faultsOf('alert.raised', DEVICE), []);
  assert.notDeepEqual(faultsOf('weather.changed', DEVICE), []);
});

test('a program that knows the type of an event knows the type of its data', () => {
  const statusOf = (event: LoggedEvent): string | null =>
    event.type === 'operation.status_changed' ? event.data.status : null;
  const event = { ...EVENT, type: 'device.registered', data: DEVICE } as LoggedEvent;
  assert.equal(statusOf(event), null);
});
