import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matching } from './palette-entries.ts';

const entry = (text: string, place = '') => ({ id: text, text, place, run: () => undefined });
const ENTRIES = [
  entry('Discharge Calf starter', 'Hillside Farm'),
  entry('Calf starter', 'Hillside Farm'),
  entry('Calf starter', 'Riverside'),
  entry('Größe Süd', 'Hof'),
  entry('Feed Sow feed', 'Pig house'),
  entry('Feed Pig finisher', 'Pig house'),
];

const found = (search: string) => matching(ENTRIES, search).map(({ text, place }) => `${text}/${place}`);

test('each word begins a word of the entry or of its place, and a text that begins with the search comes first', () => {
  assert.deepEqual(found('calf'), [
    'Calf starter/Hillside Farm',
    'Calf starter/Riverside',
    'Discharge Calf starter/Hillside Farm',
  ]);
  assert.deepEqual(found('riv CALF'), ['Calf starter/Riverside']);
  assert.deepEqual(found('dis ca'), ['Discharge Calf starter/Hillside Farm']);
  assert.deepEqual(found('süd'), ['Größe Süd/Hof']);
  assert.deepEqual(found('fe pig'), ['Feed Pig finisher/Pig house', 'Feed Sow feed/Pig house']);
  assert.deepEqual(found('tarter'), []);
});

test('everything that matches is found, because the palette tells how many there are', () => {
  assert.equal(found('  ').length, 6);
  assert.equal(
    matching(
      Array.from({ length: 99 }, (_, index) => entry(`Silo ${index}`)),
      'silo',
    ).length,
    99,
  );
});
