import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENTRIES_PER_PART, hasLongList, longListJson } from '../register.ts';

const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ index, text: '"ü\u2028' }));

test('a long list is written in parts, and is the same JSON', async () => {
  const answers = [
    { success: true, data: entries(2.5 * ENTRIES_PER_PART), page: { next_cursor: null } },
    {
      success: true,
      data: { version: 1, none: undefined, devices: entries(3 * ENTRIES_PER_PART), rules: [] },
    },
  ];
  for (const answer of answers) {
    assert.ok(hasLongList(answer));
    let pauses = 0;
    const json = await longListJson(answer, async () => void pauses++);
    assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(answer)));
    assert.equal(pauses, 2);
  }
});

test('other answers are written at once', () => {
  for (const answer of [
    undefined,
    null,
    'text',
    {},
    { data: null },
    { data: entries(ENTRIES_PER_PART) },
    { data: { devices: [] } },
  ]) {
    assert.equal(hasLongList(answer), false);
  }
});
