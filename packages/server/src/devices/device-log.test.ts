import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { DeviceLog } from './device-log.ts';

const MINUTE_MS = 60_000;

it('logs a few lines per device and minute, and then the number of suppressed lines', () => {
  let nowMs = 0;
  const lines: { device_id: string; suppressed?: number }[] = [];
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  let suppressed = 0;
  const log = new DeviceLog({
    logger,
    now: () => nowMs,
    linesPerMinuteMax: 5,
    suppressed: () => suppressed++,
  });
  for (let n = 0; n < 1_000; n++) log.warn('many-lines', { n }, 'rejected');
  log.error('other', {}, 'failed');
  assert.equal(lines.filter((line) => line.device_id === 'many-lines').length, 5);
  assert.equal(lines.filter((line) => line.device_id === 'other').length, 1);
  nowMs += MINUTE_MS;
  log.warn('many-lines', {}, 'rejected');
  assert.equal(lines.length, 8);
  assert.deepEqual(
    lines.flatMap((line) => line.suppressed ?? []),
    [995],
  );
  for (let n = 0; n < 10; n++) log.warn('many-lines', {}, 'rejected');
  log.stop();
  assert.equal(lines.at(-1)?.suppressed, 6);
  assert.equal(suppressed, 1_001);
});
