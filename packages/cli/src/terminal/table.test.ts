import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, table } from './table.ts';
import { toAscii, wrap } from './text.ts';

interface Silo {
  readonly id: string;
  readonly name: string;
  readonly isOnline: boolean;
}

const COLUMNS: readonly Column<Silo>[] = [
  { title: 'DEVICE', text: ({ id }) => id },
  { title: 'NAME', text: ({ name }) => name },
  {
    title: 'STATUS',
    text: ({ isOnline }) => (isOnline ? 'online' : 'offline'),
    tone: ({ isOnline }) => (isOnline ? 'good' : 'bad'),
  },
];
const SILOS: readonly Silo[] = [
  { id: 'silo-1', name: 'Barley', isOnline: true },
  { id: 'silo-2', name: 'Maize for the dairy cows of the northern yard', isOnline: false },
];

test('a table that fits is padded, and its colours repeat what its words say', () => {
  const plain = table(COLUMNS, SILOS.slice(0, 1), { columns: 80, hasColour: false });
  assert.equal(plain, 'DEVICE  NAME    STATUS\nsilo-1  Barley  online');
  const coloured = table(COLUMNS, SILOS.slice(0, 1), { columns: 80, hasColour: true });
  assert.equal(coloured.split('\n')[1], 'silo-1  Barley  \u001b[32monline\u001b[39m');
});

test('a table that is wider than the terminal becomes one block for each record', () => {
  const narrow = table(COLUMNS, SILOS, { columns: 40, hasColour: false });
  assert.equal(
    narrow,
    `silo-1
  NAME    Barley
  STATUS  online
silo-2
  NAME    Maize for the dairy cows of
          the northern yard
  STATUS  offline`,
  );
  assert.equal(table(COLUMNS, SILOS, { columns: null, hasColour: false }).split('\n').length, 3);
});

test('text of others cannot control the terminal', () => {
  const hostile = [{ id: 'silo-1', name: '\u001b]0;title\u0007\u001b[2Jred\nline', isOnline: true }];
  assert.match(
    table(COLUMNS, hostile, { columns: null, hasColour: false }),
    /\nsilo-1 {2}red line {2}online$/,
  );
});

test('text is broken at spaces, and long words are cut', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('abcdefghij k', 4), ['abcd', 'efgh', 'ij k']);
  assert.deepEqual(wrap('', 4), ['']);
});

test('text for a terminal without UTF-8 is ASCII', () => {
  assert.equal(toAscii('Größe 12 °C → süß…'), 'Grosse 12  deg C -> suss...');
  assert.equal(toAscii('\u001b[31m玉米\u001b[39m'), '\u001b[31m??\u001b[39m');
});
