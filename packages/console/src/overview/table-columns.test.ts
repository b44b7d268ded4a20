import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, columnsText } from './table-columns.ts';

const of = (text: string) => columnsOf(new URLSearchParams(text));

test('the usual columns are not in the address', () => {
  assert.deepEqual(of(''), ['zone', 'level', 'stock', 'empty', 'order', 'alerts', 'age']);
  assert.equal(columnsText(of('')), undefined);
});

test('chosen columns keep the order of the table, and unknown ones are passed over', () => {
  assert.deepEqual(of('columns=age,colour,level'), ['level', 'age']);
  assert.equal(columnsText(['age', 'level']), 'level,age');
});

test('a table can have the name of the device alone', () => {
  assert.equal(columnsText([]), 'none');
  assert.deepEqual(of('columns=none'), []);
});
