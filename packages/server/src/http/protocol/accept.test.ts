import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredType } from './accept.ts';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

const CASES: readonly (readonly [string | undefined, string])[] = [
  [undefined, JSON_TYPE],
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['text/html', JSON_TYPE],
  ['text/csv', CSV_TYPE],
  ['TEXT/CSV; charset=utf-8', CSV_TYPE],
  ['text/*', CSV_TYPE],
  ['text/csv;q=0', JSON_TYPE],
  ['text/csv;q=0, */*', JSON_TYPE],
  ['text/csv;q=0.000', JSON_TYPE],
  ['text/csv;q=invalid', JSON_TYPE],
  ['text/csv;q=0.5, application/json', JSON_TYPE],
  ['application/json;q=0.5, text/csv', CSV_TYPE],
  ['text/html, text/csv;q=0.9, */*;q=0.1', CSV_TYPE],
  ['text/*;q=0.9, text/csv;q=0.1, application/json;q=0.5', JSON_TYPE],
  ['text/csv, application/json', CSV_TYPE],
  ['application/json, text/csv', JSON_TYPE],
  ['text/csv, */*', CSV_TYPE],
];

for (const [header, expected] of CASES) {
  test(`Accept: ${header ?? '(none)'} gets ${expected}`, () => {
    assert.equal(preferredType(header, [JSON_TYPE, CSV_TYPE]), expected);
  });
}
