import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkEvent } from '@granary/link/port';
import { pino } from 'pino';
import { DeviceLog } from './device-log.ts';
import { logLinkEvent } from './link-events.ts';

function logging() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const log = new DeviceLog({ logger, now: () => 0, linesPerMinuteMax: 10 });
  return { lines, write: (event: LinkEvent) => logLinkEvent(log, event) };
}

const PEER = { deviceId: 'silo-1', remoteAddress: '127.0.0.1' };
const CONNECTED: LinkEvent = { ...PEER, kind: 'connected', session: 'persistent', isTakeover: false };

test('each event names the device; faults are warnings', () => {
  const { lines, write } = logging();
  write(CONNECTED);
  write({ ...CONNECTED, isTakeover: true });
  write({ ...PEER, kind: 'disconnected', ending: 'lost', detail: 'read ECONNRESET' });
  write({ ...PEER, kind: 'login_refused', reason: 'unknown device or wrong secret' });
  write({ ...PEER, kind: 'subscription_refused', reason: '1 topic filters refused' });
  write({ ...PEER, kind: 'fault', reason: 'a message could not be taken', cause: new Error('why') });
  assert.deepEqual(
    lines.map(({ level, msg, device_id }) => [level, device_id, msg]),
    [
      ['info', 'silo-1', 'device connected'],
      ['info', 'silo-1', 'device connected and replaced its old connection'],
      ['info', 'silo-1', 'device disconnected'],
      ['info', 'silo-1', 'login on the device link refused'],
      ['info', 'silo-1', 'subscription refused'],
      ['warn', 'silo-1', 'connection closed for a fault'],
    ],
  );
  assert.match(JSON.stringify(lines[5]), /why/);
});

test('a peer that is not known to be a device is limited by its address, and others are not affected', () => {
  const { lines, write } = logging();
  for (let count = 0; count < 1_000; count++) {
    write({ ...PEER, deviceId: null, kind: 'login_refused', reason: 'the client id is no device id' });
  }
  assert.equal(lines.length, 10);
  write(CONNECTED);
  assert.equal(lines.length, 11);
  assert.equal(lines[0]?.['device_id'], null);
});
