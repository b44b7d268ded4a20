import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { SetAsideLog } from './set-aside-log.ts';

test('a row that is set aside is logged once with its id, and counted', () => {
  const lines: string[] = [];
  const log = new SetAsideLog(pino({}, { write: (line: string) => void lines.push(line) }));
  const item = { kind: 'operation', id: 'op_1', reason: 'unknown status "flying"' };
  for (let round = 0; round < 3; round++) log.note([item, { ...item, kind: 'mission' }]);
  assert.equal(log.count, 2);
  assert.equal(lines.length, 2);
  assert.partialDeepStrictEqual(JSON.parse(lines[0] ?? ''), item);
});
