import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageTexts } from './language-texts.ts';
import { filled } from './message.ts';
import { parsed } from './parse.ts';

/** The text of a message with values, as code gets it from a catalogue. */
function text(language: string, message: string, values: Readonly<Record<string, unknown>>): string {
  const { words }: { words: unknown } = languageTexts(language, { words: { set: { message } } });
  const { set } = words as { set: { message: (given: typeof values) => string } };
  return set.message(values);
}

test('a text with a number has the form of its language', () => {
  const polish = '{count, plural, one {# plik} few {# pliki} many {# plików} other {# pliku}}';
  assert.deepEqual(
    [1, 2, 5, 12, 22, 1.5, 10_000].map((count) => text('pl', polish, { count })),
    ['1 plik', '2 pliki', '5 plików', '12 plików', '22 pliki', '1,5 pliku', '10\u00a0000 plików'],
  );
  assert.equal(text('fr', '{count, plural, one {# silo} other {# silos}}', { count: 0 }), '0 silo');
  const zero = '{count, plural, =0 {none} one {one} other {#}}';
  assert.deepEqual(
    [0, 1, 2].map((count) => text('en', zero, { count })),
    ['none', 'one', '2'],
  );
});

test('a form is chosen by a word, by a truth, or because there is no value', () => {
  assert.equal(
    text('en', 'It is {isAhead, select, true {ahead} other {late}}', { isAhead: false }),
    'It is late',
  );
  const where = 'It fell{place, select, none {} other { at {place}}}';
  for (const place of [null, undefined, '']) assert.equal(text('en', where, { place }), 'It fell');
  for (const place of ['home', 'none', 'other', 'toString'])
    assert.equal(text('en', where, { place }), `It fell at ${place}`);
});

test('a value is never read as a part of the message', () => {
  assert.equal(
    text('en', 'Name: {name}', { name: '{name} # {n, plural, other {x}}' }),
    'Name: {name} # {n, plural, other {x}}',
  );
});

test('a value at the beginning of a sentence has a capital letter, and a missing one is told', () => {
  const values = { value: () => 'x', text: (name: string) => (name === 'sensor' ? 'weight' : null) };
  assert.equal(filled(parsed('{Sensor} is silent'), values, 'en'), 'Weight is silent');
  assert.equal(filled(parsed('{sensor} of {device}'), values, 'en'), null);
});
