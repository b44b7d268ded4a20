import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkEvent } from '@granary/link/port';
import { pino } from 'pino';
import { LinkLog } from './link-log.ts';

function logging() {
  const lines: Record<string, unknown>[] = [];
  let nowMs = 0;
  const logger = pino(
    { base: null, formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return {
    lines,
    log: new LinkLog(logger, () => nowMs),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const PEER = { deviceId: 'silo-1', remoteAddress: '127.0.0.1' };
const CONNECTED: LinkEvent = { ...PEER, kind: 'connected', session: 'persistent', isTakeover: false };

test('each event names the device; faults are warnings', () => {
  const { lines, log } = logging();
  log.write(CONNECTED);
  log.write({ ...CONNECTED, isTakeover: true });
  log.write({ ...PEER, kind: 'disconnected', ending: 'lost', detail: 'read ECONNRESET' });
  log.write({ ...PEER, kind: 'login_refused', reason: 'unknown device or wrong secret' });
  log.write({ ...PEER, kind: 'subscription_refused', reason: '1 topic filters refused' });
  log.write({ ...PEER, kind: 'fault', reason: 'a message could not be taken', cause: new Error('why') });
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

test('a device that floods the log is cut short, the next line says by how many, and others are not affected', () => {
  const { lines, log, pass } = logging();
  for (let count = 0; count < 1_000; count++) log.write(CONNECTED);
  assert.equal(lines.length, 10);
  log.write({ ...CONNECTED, deviceId: 'silo-2' });
  assert.equal(lines.length, 11);
  pass(10_000);
  log.write(CONNECTED);
  assert.equal(lines[11]?.['suppressed_lines'], 990);
  log.write(CONNECTED);
  assert.equal(lines.length, 12);
});
