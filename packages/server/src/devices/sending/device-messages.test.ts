import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceMessage } from '@granary/app/effects';
import type { CommandOptions, Delivery, DeviceLink } from '@granary/link/port';
import { pino } from 'pino';
import { commandOptions, DeviceMessages } from './device-messages.ts';

const START: DeviceMessage = {
  command: 'start',
  operation_id: 'op_1',
  type: 'feed',
  amount_kg: 1,
  rate_kg_per_min: 1,
  max_amount_kg: 1,
  max_duration_s: 1,
  expires_at: '2026-11-15T08:00:10.000Z',
};
const STOP: DeviceMessage = { command: 'stop', operation_id: 'op_1' };
const executing = (name: 'hold' | 'emergency_stop', expires_at: string | null): DeviceMessage => ({
  command: 'execute',
  command_id: 'cmd_1',
  name,
  parameters: {},
  expires_at,
});

test('a message that causes movement expires and is sent once; a repeated message never expires and has one unacknowledged copy', () => {
  const expiresAtMs = Date.UTC(2026, 10, 15, 8, 0, 10);
  assert.deepEqual(commandOptions(START), { expiresAtMs, repeatKey: null });
  assert.deepEqual(commandOptions(executing('hold', '2026-11-15T08:00:10.000Z')), {
    expiresAtMs,
    repeatKey: null,
  });
  assert.deepEqual(commandOptions(STOP), { expiresAtMs: null, repeatKey: 'stop op_1' });
  assert.deepEqual(commandOptions(executing('emergency_stop', null)), {
    expiresAtMs: null,
    repeatKey: 'execute cmd_1',
  });
});

test('a message with an unreadable expiry has expired', () => {
  assert.deepEqual(commandOptions({ ...START, expires_at: 'soon' }), { expiresAtMs: 0, repeatKey: null });
});

test('a message that was not sent is answered, counted, and logged with its device, as a warning if it is not repeated', async () => {
  const lines: { level: number; delivery: string; device_id: string }[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const deliveries: Delivery[] = ['sent', 'not_connected', 'expired', 'in_flight'];
  const sendCommand = async (_deviceId: string, _command: object, _options: CommandOptions) =>
    deliveries.shift() ?? 'sent';
  const commands = new DeviceMessages({ sendCommand } as unknown as DeviceLink, logger, () => false);
  const answers = [START, START, START, STOP].map((command) => commands.send('silo-1', command));
  assert.deepEqual(await Promise.all(answers), ['sent', 'not_connected', 'expired', 'in_flight']);
  assert.deepEqual(commands.unsent, { not_connected: 1, not_subscribed: 0, expired: 1, in_flight: 1 });
  assert.deepEqual(
    lines.map(({ level, device_id, delivery }) => [level, device_id, delivery]),
    [
      [40, 'silo-1', 'not_connected'],
      [40, 'silo-1', 'expired'],
      [20, 'silo-1', 'in_flight'],
    ],
  );
});

test('a message is passed to the link before the caller continues, although its result comes later', async () => {
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<Delivery>();
  const sendCommand = (deviceId: string) => {
    passed.push(deviceId);
    return promise;
  };
  const link = { sendCommand } as unknown as DeviceLink;
  const commands = new DeviceMessages(link, pino({ level: 'silent' }), () => false);
  const sent = commands.send('silo-1', STOP);
  assert.deepEqual(passed, ['silo-1']);
  resolve('not_connected');
  assert.equal(await sent, 'not_connected');
});
