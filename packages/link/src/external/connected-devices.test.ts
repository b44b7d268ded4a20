import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectedDevices } from './connected-devices.ts';

const online = (session?: string) => ({
  state: 'online' as const,
  ...(session === undefined ? {} : { session }),
});
const offline = (session?: string) => ({
  state: 'offline' as const,
  ...(session === undefined ? {} : { session }),
});

test('the end of an older session is ignored; without sessions the newest message counts', () => {
  const connected = new ConnectedDevices();
  assert.equal(connected.apply('a', online('1'), 1), 'connected');
  assert.equal(connected.apply('a', online('2'), 2), 'taken_over');
  assert.equal(connected.apply('a', offline('1'), 3), null);
  assert.deepEqual([connected.isReachable('a'), connected.connectedSinceMs('a')], [true, 2]);
  assert.equal(connected.apply('a', offline('2'), 4), 'disconnected');
  assert.equal(connected.isConnected('a'), false);

  assert.equal(connected.apply('b', online(), 1), 'connected');
  assert.equal(connected.apply('b', online(), 2), null, 'said again');
  assert.equal(connected.connectedCount, 1);
  assert.equal(connected.apply('b', offline(), 3), 'disconnected');
  assert.equal(connected.connectedCount, 0);
});

test('an end without a session counts, also of a device that named one before', () => {
  const connected = new ConnectedDevices();
  connected.apply('a', online('1'), 1);
  assert.equal(connected.apply('a', offline(), 2), 'disconnected');
});

test('a device that is not subscribed cannot be reached until its next status message', () => {
  const connected = new ConnectedDevices();
  connected.apply('a', online('1'), 1);
  connected.notSubscribed('a');
  assert.deepEqual([connected.isReachable('a'), connected.isConnected('a')], [false, true]);
  connected.apply('a', online('2'), 2);
  assert.equal(connected.isReachable('a'), true);
});

test('the newest message is known by state and session', () => {
  const connected = new ConnectedDevices();
  assert.equal(connected.isNewest('a', online('1')), null);
  connected.apply('a', online('1'), 1);
  assert.equal(connected.isNewest('a', online('1')), true);
  assert.equal(connected.isNewest('a', { state: 'maintenance', session: '1' }), false);
  assert.equal(connected.isNewest('a', offline('0')), false);
});
