import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { DeviceMessage } from '@granary/app/effects';
import type { StoredEvent } from '@granary/app/events/event-rows';
import type { Delivery } from '@granary/link/port';
import { StopsInForce } from './stops-in-force.ts';

const event = (fields: Pick<StoredEvent, 'type' | 'data'>, deviceId = 'silo'): StoredEvent => ({
  sequence: 1,
  deviceId,
  facility: 'north',
  atMs: 0,
  actor: null,
  ...fields,
});

const operation = (status: string): StoredEvent =>
  event({ type: 'operation.status_changed', data: { operation_id: 'op_1', status } });

const emergencyStop = (status: string): StoredEvent =>
  event(
    {
      type: 'command.status_changed',
      data: { command_id: 'cmd_1', command: 'emergency_stop', status },
    },
    'rover',
  );

describe('stops that devices have not confirmed', () => {
  let nowMs: number;
  let delivery: Delivery;
  let reachable: Set<string>;
  let sent: (readonly [string, DeviceMessage])[];
  let stopping: { deviceId: string; id: string }[];
  let unconfirmed: { deviceId: string; id: string }[];
  let stops: StopsInForce;
  beforeEach(() => {
    nowMs = 0;
    delivery = 'sent';
    reachable = new Set(['silo', 'rover']);
    sent = [];
    stopping = [];
    unconfirmed = [];
    stops = new StopsInForce({
      app: {
        operations: { stopping: async () => stopping },
        commands: { unconfirmedStops: async () => unconfirmed },
      },
      messages: {
        isReachable: (deviceId) => reachable.has(deviceId),
        send: async (deviceId, message) => {
          sent.push([deviceId, message]);
          return delivery;
        },
      },
      clock: () => nowMs,
    });
  });

  const repeatAt = async (atMs: number): Promise<number> => {
    nowMs = atMs;
    stops.repeat();
    await setImmediate();
    return sent.length;
  };

  it('are left to the storage while it answers', async () => {
    stops.observe([operation('stopping'), emergencyStop('queued')]);
    nowMs = 10_000;
    stops.storageAnswered();
    assert.equal(await repeatAt(11_000), 0);
  });

  it('are sent from memory when it does not, as they would be from there', async () => {
    stops.observe([operation('stopping'), emergencyStop('queued')]);
    assert.equal(await repeatAt(2_000), 2);
    const parameters = { name: 'emergency_stop', parameters: {}, expires_at: null };
    assert.deepEqual(sent, [
      ['silo', { command: 'stop', operation_id: 'op_1' }],
      ['rover', { command: 'execute', command_id: 'cmd_1', ...parameters }],
    ]);
  });

  it('are sent once to a device that is reachable, and again after 5 s or in its next session', async () => {
    stops.observe([operation('stopping')]);
    assert.equal(await repeatAt(2_000), 1);
    assert.equal(await repeatAt(6_000), 1);
    stops.deviceReachable('silo');
    assert.equal(await repeatAt(6_001), 2);
    assert.equal(await repeatAt(11_001), 3);
  });

  it('are sent as soon as the device is reachable, and in each round until they were written', async () => {
    stops.observe([operation('stopping')]);
    reachable.clear();
    assert.equal(await repeatAt(2_000), 0);
    reachable.add('silo');
    delivery = 'not_connected';
    assert.equal(await repeatAt(2_500), 1);
    delivery = 'sent';
    assert.equal(await repeatAt(3_000), 2);
    assert.equal(await repeatAt(3_500), 2);
  });

  it('end with what they were for, and with their device', async () => {
    for (const ended of [operation('stopped'), event({ type: 'device.removed', data: {} })]) {
      stops.observe([operation('stopping')]);
      stops.observe([ended]);
    }
    for (const status of ['succeeded', 'failed']) {
      stops.observe([emergencyStop('sent')]);
      stops.observe([emergencyStop(status)]);
    }
    stops.observe([event({ type: 'command.status_changed', data: { command_id: 'c', command: 'home' } })]);
    assert.equal(await repeatAt(2_000), 0);
  });

  it('are read when the node starts; what the event log told meanwhile is newer', async () => {
    stopping = [
      { deviceId: 'silo', id: 'op_1' },
      { deviceId: 'silo', id: 'op_2' },
    ];
    unconfirmed = [{ deviceId: 'rover', id: 'cmd_2' }];
    const starting = stops.start();
    stops.observe([operation('stopped')]);
    await starting;
    await repeatAt(2_000);
    assert.deepEqual(
      sent.map(([, message]) => ('operation_id' in message ? message.operation_id : message.command)),
      ['op_2', 'execute'],
    );
  });
});
