import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import type { Sources } from './compile.ts';
import { usesIn } from './declaration.ts';
import { isLanguage, LANGUAGES, type Language, languageOf, loadCatalogue, localeOf } from './languages.ts';
import { type Message, pluralRulesOf } from './message.ts';
import { parsed } from './parse.ts';

/** Every text of a catalogue by its path, such as `page.alerts.listNames.open`. */
const textsOf = (sources: Sources, path = ''): [string, string][] =>
  Object.entries(sources).flatMap(([name, source]): [string, string][] =>
    typeof source === 'string' ? [[path + name, source]] : textsOf(source, `${path}${name}.`),
  );

const CATALOGUES = new Map<Language, Map<string, string>>();
for (const language of LANGUAGES) CATALOGUES.set(language, new Map(textsOf(await loadCatalogue(language))));
const ENGLISH = CATALOGUES.get('en') ?? new Map<string, string>();

test('every file is a language that can be chosen', () => {
  const files = readdirSync(join(import.meta.dirname, '../catalogue'));
  assert.deepEqual(
    files.filter((file) => !isLanguage(file.replace('.json', ''))),
    [],
  );
});

test('the language is the first one of the browser that there is', () => {
  assert.equal(languageOf(['xx-XX', 'de-AT', 'en']), 'de');
  assert.equal(languageOf(['den', 'toString']), 'en');
  assert.equal(languageOf([]), 'en');
});

test('numbers and times are written as in the place of the viewer, if the language is spoken there', () => {
  assert.equal(localeOf('en', ['de-AT', 'en-GB', 'en']), 'en-GB');
  assert.equal(localeOf('de', ['en-GB', 'den']), 'de');
});

type Elements = ReturnType<typeof parse>;

/** The tree of the parser of FormatJS in our form. */
function ofFormatJs(elements: Elements, counted: string | null): Message {
  const parts: Exclude<Message, string>[number][] = [];
  const place = (name: string) => {
    const first = name.charAt(0).toLowerCase();
    return name.startsWith(first)
      ? { value: name }
      : { value: first + name.slice(1), isCapital: true as const };
  };
  for (const element of elements) {
    if (element.type === TYPE.literal) {
      const last = parts.at(-1);
      if (typeof last === 'string') parts[parts.length - 1] = last + element.value;
      else parts.push(element.value);
    } else if (element.type === TYPE.argument) parts.push(place(element.value));
    else if (element.type === TYPE.pound) parts.push(place(counted ?? ''));
    else if (element.type === TYPE.plural || element.type === TYPE.select) {
      const choice = element.type === TYPE.plural ? ('plural' as const) : ('select' as const);
      const inner = choice === 'plural' ? element.value : counted;
      const forms = Object.entries(element.options).map(([name, { value }]) => [
        name,
        ofFormatJs(value, inner),
      ]);
      parts.push({ value: element.value, choice, forms: Object.fromEntries(forms) });
    } else assert.fail(`a message has something that its parser does not know: ${element.type}`);
  }
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && typeof first === 'string' ? first : parts;
}

test('every message, and every quoted sign, is read as FormatJS reads it', () => {
  const quoted = [
    "it''s",
    "it's",
    "'{'x'}'",
    "'{x} ''and''",
    "# '#'",
    "{n, plural, one {'#' is #} other {#''s}}",
  ];
  for (const text of [...[...CATALOGUES.values()].flatMap((texts) => [...texts.values()]), ...quoted]) {
    assert.deepEqual(
      parsed(text),
      ofFormatJs(parse(text, { ignoreTag: true, captureLocation: false }), null),
    );
  }
});

test('what is no message is refused, with its place', () => {
  for (const text of [
    '{',
    '}',
    '{a',
    '{a b}',
    '{a, plural, one {x}}',
    '{a, select, other {x}',
    '{, select}',
    '{}',
  ]) {
    assert.throws(() => parsed(text), /not a message at \d+/, text);
  }
});

/** Words that are the same in another language, and texts that are written the same way everywhere. */
const SAME: Readonly<Record<string, RegExp>> = {
  every:
    /^[^\p{L}]*$|^\P{L}*(?:\{\w+\}\P{L}*)+$|^°[CF]$|^(?:Webhooks?|PIN|API|Firmware(?: \{\w+\})?|Terminals?|Passkeys|Silos?|N|null|undefined|\d+ h|\{\w+\} in (?:24 h|\{\w+\})|kg|t|lb|m\/s|km\/h|mph)$|^\{how, select|^\{(?:Operation|mission)\} \(?\{status/u,
  de: /^(?:Name|Status|Minimum|Maximum|Signal|Wind|Filter|Sensor|Form|Version|Position|Reserve|Details|Start|Mission|Pause|Code|Person|Browser|Node|Geofence|Bridges|Bridge \{\w+\}|Information)$/,
  es: /^(?:Sensor|Terminal|No|\{count, plural, one \{# silo\} other \{# silos\}\})$/,
  fr: /^(?:Actions|Stock|Information|Maintenance|Latitude|Longitude|Altitude|Signal|Missions?|\{count, plural, one \{# (?:silo|point)\} other \{# (?:silo|point)s\}\})$/,
  nl: /^(?:[Mm]odel|[Zz]one|[Ss]ensor|minimum|maximum|Stop|Wind|Product|Geofence|Filters|Week)$/,
  pl: /^(?:[Mm]odel|minimum|Stop|E-mail)$/,
};

test('every text is there in every language, uses the same values and is not only copied', () => {
  const valuesOf = (text: string): string[] =>
    [...usesIn(parsed(text))].map(([name, uses]) => `${name}${uses.has('missing') ? '?' : ''}`).toSorted();
  const copied: string[] = [];
  for (const [language, texts] of CATALOGUES) {
    assert.deepEqual([...texts.keys()].toSorted(), [...ENGLISH.keys()].toSorted(), language);
    for (const [path, english] of ENGLISH) {
      const text = texts.get(path) ?? '';
      assert.notEqual(text.trim(), '', `${language} ${path}`);
      assert.deepEqual(valuesOf(text), valuesOf(english), `${language} ${path}: ${text}`);
      if (language === 'en' || text !== english) continue;
      const isSame = [SAME['every'], SAME[language]].some((words) => words?.test(text));
      if (!isSame) copied.push(`${language} ${path}: ${text}`);
    }
  }
  assert.deepEqual(copied, []);
});

/** The forms of every choice by a number in a message. */
function pluralsIn(message: Message): string[][] {
  if (typeof message === 'string') return [];
  return message.flatMap((part) => {
    if (typeof part === 'string' || !('choice' in part)) return [];
    const inner = Object.values(part.forms).flatMap(pluralsIn);
    return part.choice === 'plural' ? [Object.keys(part.forms), ...inner] : inner;
  });
}

test('what depends on a number has a form for each kind of number that its language tells apart', () => {
  for (const [language, texts] of CATALOGUES) {
    const { pluralCategories } = pluralRulesOf(language).resolvedOptions();
    // French and Spanish have a further form for millions, for which the last form is right.
    const needed = pluralCategories.includes('few') ? ['one,few,other', 'one,few,many,other'] : ['one,other'];
    for (const [path, text] of texts) {
      for (const forms of pluralsIn(parsed(text)).filter(
        (all) => !all.some((form) => form.startsWith('=')),
      )) {
        assert.deepEqual(
          forms.filter((form) => !pluralCategories.some((category) => category === form)),
          [],
          `${language} ${path}`,
        );
        assert.ok(needed.includes(forms.join()), `${language} ${path}: ${forms}`);
      }
    }
  }
});
