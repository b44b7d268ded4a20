import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, limitLines } from './logger.ts';

function loggerTo(lines: string[], now = Date.now) {
  return createLogger(
    'debug',
    false,
    limitLines((line) => lines.push(line), now),
  );
}

test('a short line is written as it is', () => {
  const lines: string[] = [];
  loggerTo(lines).info({ device_id: 'silo-1' }, 'connected');
  const { time, ...others } = JSON.parse(lines[0] ?? '');
  assert.deepEqual(others, { level: 'info', device_id: 'silo-1', msg: 'connected' });
  assert.match(time, /Z$/);
});

test('a long line is shortened, whichever field is long, and stays JSON', () => {
  const lines: string[] = [];
  const logger = loggerTo(lines);
  const long = 'x'.repeat(100_000);
  logger.error({ err: new Error(long), url: long, list: Array(50_000).fill(1) }, long);
  logger.error(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])), 'many');
  for (const line of lines) {
    assert.ok(line.length < 10_000, String(line.length));
    assert.equal(JSON.parse(line).is_shortened, true);
  }
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.match(first.err.message, /^x+…$/);
  assert.equal(second.msg, 'many');
});

test('too many lines of one level are left out and their number is logged; other levels are not affected', () => {
  let nowMs = 1_000_000;
  const lines: string[] = [];
  const logger = loggerTo(lines, () => nowMs);
  for (let i = 0; i < 10_000; i++) logger.warn('again');
  assert.equal(lines.length, 500);
  logger.error('something else');
  assert.equal(lines.length, 501);
  nowMs += 1_000;
  logger.warn('later');
  const [summary, later] = lines.slice(-2).map((line) => JSON.parse(line));
  assert.deepEqual([summary.level, summary.left_out, later.msg], ['warn', 9_500, 'later']);
});
