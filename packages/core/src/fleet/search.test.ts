import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { searchTexts } from './device-record.ts';

test('a text is looked for in either case', () => {
  assert.deepEqual(searchTexts('SILO 7'), ['silo 7']);
  assert.deepEqual(searchTexts('über'), ['über', 'Über']);
});

test('no text to look for has a letter from A to Z, and the text itself is among them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const texts = searchTexts(text);
      assert.ok(texts.every((each) => !/[A-Z]/.test(each)));
      assert.ok(texts.includes(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())));
    }),
  );
});
