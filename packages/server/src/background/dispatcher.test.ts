import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceMessage, Effect } from '@granary/app/effects';
import { initialConfiguration } from '@granary/core/configuration/silo-configuration';
import type { Delivery } from '@granary/link/port';
import { EffectDispatcher } from './dispatcher.ts';

const NOW_MS = Date.UTC(2026, 10, 15);
const EXPIRES_AT = '2026-11-15T00:00:10.000Z';

const START: DeviceMessage = {
  command: 'start',
  operation_id: 'op_1',
  type: 'feed',
  amount_kg: 1,
  rate_kg_per_min: 1,
  max_amount_kg: 1,
  max_duration_s: 1,
  expires_at: EXPIRES_AT,
};
const executing = (name: 'hold' | 'emergency_stop', expires_at: string | null): DeviceMessage => ({
  command: 'execute',
  command_id: 'cmd_1',
  name,
  parameters: {},
  expires_at,
});

const sending = (message: DeviceMessage): Effect => ({
  kind: 'send_message',
  deviceNo: 7,
  deviceId: 'd-7',
  message,
});

/** A started dispatcher, and its actions in order. With `fails` the storage refuses to record that a message was not sent. */
function startDispatcher({
  delivery = 'sent',
  fails = false,
}: {
  delivery?: Delivery;
  fails?: boolean;
} = {}) {
  const done: unknown[] = [];
  const notSent = async (unsent: object): Promise<void> => {
    done.push({ notSent: unsent });
    if (fails) throw new Error('the disk is full');
  };
  const dispatcher = new EffectDispatcher();
  dispatcher.connect({
    app: { operations: { notSent }, commands: { notSent }, missions: { notSent } },
    messages: {
      send: async (deviceId, message) => {
        done.push(['send', deviceId, message.command]);
        return delivery;
      },
    },
    link: {
      sendConfiguration: (deviceId, { version }) => {
        done.push(['configure', deviceId, version]);
      },
      disconnect: (deviceId) => void done.push(['disconnect', deviceId]),
      forgetSensors: (deviceId) => void done.push(['forget sensors', deviceId]),
    },
    evaluator: { wake: (deviceNos) => void done.push(['evaluate', ...deviceNos]) },
    feed: { wake: () => void done.push(['feed']) },
    keyring: {
      drop: (keyId) => void done.push(['drop key', keyId]),
      dropSessions: (hashes) => void done.push(['drop sessions', ...hashes]),
      accessChanged: (ids) => void done.push(['read access', ...ids]),
      changesMissed: () => void done.push(['read all access']),
    },
    directory: { dropSecret: (deviceId) => void done.push(['drop secret', deviceId]) },
    declaredSensors: { drop: (deviceId) => void done.push(['drop sensors', deviceId]) },
    notificationSender: { wake: () => void done.push(['notify']) },
    webhooks: { wake: () => void done.push(['webhooks']) },
    now: () => NOW_MS,
  });
  return { dispatcher, done };
}

test('each effect is carried out once, in order', async () => {
  const { dispatcher, done } = startDispatcher();
  const configuration = initialConfiguration(NOW_MS);
  const isAllSent = await dispatcher.carryOut(
    [
      sending(START),
      { kind: 'send_configuration', deviceId: 'd-7', configuration, version: 3 },
      { kind: 'evaluate_alerts', deviceNos: [7, 8] },
      { kind: 'credentials_replaced', deviceId: 'd-7' },
      { kind: 'device_updated', deviceId: 'd-7' },
      { kind: 'key_ended', keyId: 'key_1' },
      { kind: 'sessions_ended', hashes: ['hash'] },
      { kind: 'access_changed', ids: ['key_2'] },
      { kind: 'announcements_missed' },
      { kind: 'events_logged' },
    ],
    0,
  );
  assert.equal(isAllSent, true);
  assert.deepEqual(done, [
    ['send', 'd-7', 'start'],
    ['configure', 'd-7', 3],
    ['evaluate', 7, 8],
    ['drop secret', 'd-7'],
    ['disconnect', 'd-7'],
    ['drop sensors', 'd-7'],
    ['forget sensors', 'd-7'],
    ['drop key', 'key_1'],
    ['drop sessions', 'hash'],
    ['read access', 'key_2'],
    ['read all access'],
    ['feed'],
  ]);
});

test('effects before the parts are connected are ignored', async () => {
  await new EffectDispatcher().carryOut([sending(START), { kind: 'events_logged' }], 0);
});

test('a message that causes movement and is not sent is recorded as not sent, and no other message is', async () => {
  const delivery = 'not_connected';
  const target = { deviceNo: 7, nowMs: NOW_MS };
  const cases: [DeviceMessage, object | null][] = [
    [START, { ...target, operationId: 'op_1', why: delivery }],
    [executing('hold', EXPIRES_AT), { ...target, commandId: 'cmd_1', delivery }],
    [
      { command: 'mission_start', mission_id: 'ms_1', expires_at: EXPIRES_AT },
      { ...target, missionId: 'ms_1', send: 'start' },
    ],
    [
      { command: 'mission_resume', mission_id: 'ms_1', expires_at: EXPIRES_AT },
      { ...target, missionId: 'ms_1', send: 'resume' },
    ],
    [executing('emergency_stop', null), null],
    [{ command: 'stop', operation_id: 'op_1' }, null],
    [{ command: 'report', operation_id: 'op_1' }, null],
    [{ command: 'mission_cancel', mission_id: 'ms_1' }, null],
    [{ command: 'mission_pause', mission_id: 'ms_1' }, null],
  ];
  for (const [message, unsent] of cases) {
    const { dispatcher, done } = startDispatcher({ delivery });
    assert.equal(await dispatcher.carryOut([sending(message)], 0), false);
    assert.deepEqual(done.slice(1), unsent === null ? [] : [{ notSent: unsent }], message.command);
  }
});

test('every message is sent before anything is recorded, and a fault in recording reaches the caller', async () => {
  const { dispatcher, done } = startDispatcher({ delivery: 'expired', fails: true });
  const stop: DeviceMessage = { command: 'stop', operation_id: 'op_2' };
  const hold = executing('hold', EXPIRES_AT);
  const effects: Effect[] = [sending(START), sending(stop), sending(hold), { kind: 'events_logged' }];
  await assert.rejects(dispatcher.carryOut(effects, 0), /the disk is full/);
  const sent = ['start', 'stop', 'execute'].map((command) => ['send', 'd-7', command]);
  assert.deepEqual(done.slice(0, 4), [...sent, ['feed']]);
  // Each is recorded, although the first one failed.
  assert.equal(done.length, 6);
});
