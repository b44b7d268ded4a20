import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { en } from './en/texts.ts';
import { pluralOf } from './plural.ts';
import { isLanguage, LANGUAGES, languageOf, loadTexts, localeOf } from './texts.ts';

const SOURCES = join(import.meta.dirname, '..');

test('the language is the first one of the browser that there is', () => {
  assert.equal(languageOf(['xx-XX', 'de-AT', 'en']), 'de');
  assert.equal(languageOf(['den', 'toString']), 'en');
  assert.equal(languageOf([]), 'en');
});

test('numbers and times are written as in the place of the viewer, if the language is spoken there', () => {
  assert.equal(localeOf('en', ['de-AT', 'en-GB', 'en']), 'en-GB');
  assert.equal(localeOf('de', ['en-GB', 'den']), 'de');
});

test('a text with a number has the form of its language', () => {
  const forms = { one: '# plik', few: '# pliki', many: '# plików', other: '# pliku' };
  assert.deepEqual(
    [1, 2, 5, 12, 22, 1.5, 10_000].map((count) => pluralOf('pl')(count, forms)),
    ['1 plik', '2 pliki', '5 plików', '12 plików', '22 pliki', '1,5 pliku', '10\u00a0000 plików'],
  );
  assert.equal(pluralOf('fr')(0, { one: '# silo', other: '# silos' }), '0 silo');
});

test('every folder with texts is a language that can be chosen', () => {
  const folders = readdirSync(import.meta.dirname).filter((name) => !name.includes('.'));
  assert.deepEqual(
    folders.filter((name) => !isLanguage(name)),
    [],
  );
});

type Leaf = string | ((...values: never[]) => string);

/** Every text by its path, such as `alerts.listNames.open`. */
function leavesOf(value: object, path: readonly string[] = []): [readonly string[], Leaf][] {
  return Object.entries(value).flatMap(([name, inner]: [string, Leaf | object]) =>
    typeof inner === 'object' ? leavesOf(inner, [...path, name]) : [[[...path, name], inner]],
  );
}

/** Small numbers are used both as counts and as texts; the test searches for them in the result. */
const SAMPLE = ['37', '48', '59', '64'] as const;

function written(leaf: Leaf): string {
  if (typeof leaf === 'string') return leaf;
  return String(leaf(...(SAMPLE.slice(0, leaf.length) as never[])));
}

const samplesIn = (text: string): string[] => SAMPLE.filter((sample) => text.includes(sample));

/** Texts that the service sends in English, while other languages have a code for them. */
const IN_ENGLISH = new Set(['devices.link.ending']);

/** Words that are the same in another language, and texts that are written the same way everywhere. */
const SAME: Readonly<Record<string, RegExp>> = {
  every:
    /^[^\p{L}]*$|^°[CF]$|^(?:Webhooks?|PIN|API|Firmware(?: 37)?|Terminals?|Passkeys|Silos?|N|null|undefined|\d+ h|37 in 24 h|37 in 48|kg|t|lb|m\/s|km\/h|mph)$/u,
  de: /^(?:Name|Status|Minimum|Maximum|Signal|Wind|Filter|Sensor|Form|Version|Position|Reserve|Details|Start|Mission|Pause|Code|Person|Browser|Node|Geofence|Bridges|Bridge 37)$/,
  es: /^(?:Sensor|Terminal|No|37 silos)$/,
  fr: /^(?:Actions|Information|Maintenance|Latitude|Longitude|Altitude|Signal|Missions?|37 silos|37 points)$/,
  nl: /^(?:[Mm]odel|[Zz]one|[Ss]ensor|minimum|maximum|Stop|Wind|Product|Geofence|Filters|Week)$/,
  pl: /^(?:[Mm]odel|minimum|Stop|E-mail)$/,
};

test('every text is there in every language, tells the same values and is not only copied', async () => {
  for (const language of LANGUAGES) {
    const { texts } = await loadTexts(language);
    const own = new Map(leavesOf(texts).map(([path, leaf]) => [path.join('.'), leaf]));
    assert.deepEqual(
      [...own.keys()].toSorted(),
      leavesOf(en)
        .map(([path]) => path.join('.'))
        .toSorted(),
      language,
    );
    const copied = leavesOf(en).flatMap(([path, leaf]) => {
      const [english, other] = [written(leaf), written(own.get(path.join('.')) ?? '')];
      assert.notEqual(other.trim(), '', `${language} ${path.join('.')}`);
      if (!IN_ENGLISH.has(path.join('.'))) {
        assert.deepEqual(samplesIn(other), samplesIn(english), `${language} ${path.join('.')}: ${other}`);
      }
      const isSame = language !== 'en' && english === other;
      return isSame && !SAME['every']?.test(english) && SAME[language]?.test(english) !== true
        ? [`${path.join('.')}: ${other}`]
        : [];
    });
    assert.deepEqual(copied, [], language);
  }
});

test('no text is unused', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/^texts|\.test\.ts$/.test(file))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''));
  const all = sources.join('\n');
  const wordsOf = (text: string, pattern: RegExp): Set<string> =>
    new Set([...text.matchAll(pattern)].flatMap(([, words = '']) => words.match(/\w+/g) ?? []));
  /** The names in these tables are data: the code reads them by a computed name, or passes the whole table on. */
  const tables = wordsOf(all, /(\w+)(?:\?\.)?\[/g).union(wordsOf(all, /\.(\w+)\s*[;:),}]/g));
  const indexed = wordsOf(all, /(\w+)\[/g);
  const states = wordsOf(all, /'(\w+)'/g);
  const files = sources.map((source) => ({
    words: wordsOf(source, /(\w+)/g),
    read: wordsOf(source, /\.(\w+)/g).union(wordsOf(source, /\{([^{}]*)\}(?: = |: Texts)/g)),
  }));
  const unused = leavesOf(en).filter(([path]) => {
    const [name = '', section = ''] = path.toReversed();
    if (section === 'cures' || path.slice(1, -1).some((one) => tables.has(one))) return false;
    if (indexed.has(section) && states.has(name)) return false;
    return !files.some(({ words, read }) => words.has(section) && read.has(name));
  });
  assert.deepEqual(
    unused.map(([path]) => path.join('.')),
    [],
  );
});
