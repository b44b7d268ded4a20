import assert from 'node:assert/strict';
import { test } from 'node:test';
import { de } from './de/texts.ts';
import { en } from './en/texts.ts';
import { languageOf, localeOf } from './texts.ts';

test('the language is the first one of the browser that there is', () => {
  assert.equal(languageOf(['fr-FR', 'de-AT', 'en']), 'de');
  assert.equal(languageOf([]), 'en');
});

test('numbers and times are written as in the place of the viewer, if the language is spoken there', () => {
  assert.equal(localeOf('en', ['de-AT', 'en-GB', 'en']), 'en-GB');
  assert.equal(localeOf('de', ['en-GB']), 'de');
});

/** Names that are the same word in both languages, units and proper names. */
const SAME_IN_BOTH = new Set(['English', 'Deutsch', 'Administration', 'Signal', 'Wind']);

test('every text is there in every language, and is not only copied', () => {
  const german = new Map(pathsOf(de));
  const copied = pathsOf(en).filter(([path, text]) => {
    const other = german.get(path);
    assert.ok(other !== undefined, path);
    return typeof text === 'string' && text === other && text.includes(' ') && !SAME_IN_BOTH.has(text);
  });
  assert.deepEqual(copied, []);
});

function pathsOf(value: unknown, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, `${path}/${name}`));
}
