import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderAfterPress, ordered, orderText, parseOrder, type SortValue } from './table-order.ts';

const sorted = (values: readonly SortValue[], isDescending = false): readonly SortValue[] =>
  ordered(values, (value) => value, isDescending, 'en');

test('an order in the address is read as it was written', () => {
  for (const text of ['name', '-name']) {
    const order = parseOrder(text);
    assert.ok(order !== null);
    assert.equal(orderText(order), text);
  }
  assert.deepEqual([parseOrder(''), parseOrder(null), parseOrder(undefined)], [null, null, null]);
});

test('a second press on the same head turns the order round', () => {
  const once = orderAfterPress(null, 'name');
  const twice = orderAfterPress(once, 'name');
  assert.deepEqual(
    [once, twice],
    [
      { column: 'name', isDescending: false },
      { column: 'name', isDescending: true },
    ],
  );
  assert.deepEqual(orderAfterPress(twice, 'name'), once);
  assert.deepEqual(orderAfterPress(twice, 'age'), { column: 'age', isDescending: false });
});

test('numbers in names count as numbers', () => {
  assert.deepEqual(sorted(['Silo 10', 'silo 2', 'Ärmel', 'Zelt']), ['Ärmel', 'silo 2', 'Silo 10', 'Zelt']);
  assert.deepEqual(sorted([10, 9, -1]), [-1, 9, 10]);
});

test('what has no value is last in both directions', () => {
  assert.deepEqual(sorted([null, 2, 1]), [1, 2, null]);
  assert.deepEqual(sorted([null, 1, 2], true), [2, 1, null]);
});

test('rows with the same value keep their order, also downwards', () => {
  const rows = [
    { id: 'a', value: 1 },
    { id: 'b', value: 1 },
  ];
  const ids = (isDescending: boolean) =>
    ordered(rows, ({ value }) => value, isDescending, 'en').map(({ id }) => id);
  assert.deepEqual(
    [ids(false), ids(true)],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
});
