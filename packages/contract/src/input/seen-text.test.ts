import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkNewKey } from '../keys.ts';
import { checkNewPerson } from '../people.ts';
import { isSeen, seenText } from './seen-text.ts';

const UNSEEN = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
] as const;

const unseen = fc
  .constantFrom(...UNSEEN)
  .chain(([from, to]) => fc.integer({ min: from, max: to }))
  .map((code) => String.fromCodePoint(code));
const name = fc.constantFrom('Ada', 'Анна', 'Mühle 3', '李 小龍', 'Νίκος', 'north', '🌾', '김');

test('no character that nobody sees makes one name look like another', () => {
  fc.assert(
    fc.property(name, unseen, fc.nat(), (text, hidden, at) => {
      const characters = [...text];
      const place = at % (characters.length + 1);
      const changed = [...characters.slice(0, place), hidden, ...characters.slice(place)].join('');
      assert.equal(isSeen(changed), false);
      assert.equal(isSeen(seenText(changed)), true);
      assert.equal(checkNewKey.accepts({ name: changed, scopes: ['read'] }), false);
      const person = { login: 'ada', name: changed, grants: [{ role: 'viewer', facilities: [changed] }] };
      assert.deepEqual(
        checkNewPerson
          .faults(person)
          .map(({ path }) => path)
          .toSorted(),
        ['/grants/0/facilities/0', '/name'],
      );
    }),
    { numRuns: 2_000 },
  );
});

test('names of all scripts stay as they are, with the joiners between their letters', () => {
  for (const text of [
    'علی\u200cرضا',
    'क्\u200dष',
    'Анна',
    "O'Neill",
    '李 小龍',
    '🌾',
    'Halle 3 – Süd',
    'e\u0301',
  ]) {
    assert.equal(isSeen(text), true, text);
    assert.equal(seenText(text), text);
  }
  for (const text of ['علی\u200c', '\u200dعلی', 'علی\u200c\u200cرضا', 'A\u200dda', '李\u200d小']) {
    assert.equal(isSeen(text), false, JSON.stringify(text));
  }
});
