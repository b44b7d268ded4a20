import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { ERROR_CODES, Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import { ALERTS } from '@granary/contract/sentences/alerts';
import { ENGLISH, SENTENCES, sentence } from '@granary/contract/sentences/english';
import { EXPECTED, FIELD_FAULTS, LINK_FAULTS } from '@granary/contract/sentences/faults';
import { FINDINGS, FORECAST_REASONS, GRAIN_REASONS } from '@granary/contract/sentences/foresight';
import {
  ATTENTION,
  COMMAND_DETAILS,
  MISSION_DETAILS,
  OPERATION_DETAILS,
  TRACE,
} from '@granary/contract/sentences/jobs';
import { PARTS } from '@granary/contract/sentences/parts';
import { REFUSALS } from '@granary/contract/sentences/refusals';
import {
  capitalized,
  formsOf,
  placeholdersOf,
  pluralRulesOf,
  type Reader,
  written,
} from '@granary/contract/sentences/sentence';
import { WORDS } from '@granary/contract/sentences/words';
import { ERRORS } from '../texts/de/errors.ts';
import { LANGUAGES, type Language, loadTexts, texts, useLanguage } from '../texts/texts.ts';
import { actionText, cureText, messageText, refusalText } from './sentences.ts';

/** A value of each kind; the words of a list are used in turn. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  text: 'Ada',
  number: 3,
  percent: 12.5,
  waypoint: 2,
  time: '2026-11-17T20:00:00.000Z',
  date: '2026-12-05',
  duration: 90,
  mass: 1_234.5,
  change: -12,
  weekdays: '5,6',
  quantity: { value: 300, unit: 'kg' },
  temperature: 21.4,
  warming: 0.5,
  place: { latitude: 52.1, longitude: 13.2 },
  sensor: 'temp_3',
  mission: 'Field survey',
  names: ['10.0.0.1', '10.0.0.2'],
  part: { code: 'weight_does_not_move', values: {} },
  list: [{ code: 'sensor_silent', values: { sensor: 'weight', since: '2026-11-17T20:00:00.000Z' } }],
  clauses: [{ code: 'weight_does_not_move', values: {} }],
  alternatives: [{ code: 'a_number', values: {} }],
  ...Object.fromEntries(Object.entries(WORDS).map(([kind, words]) => [kind, Object.keys(words)[0]])),
};
const CODES = Object.keys(SENTENCES);
const TEMPLATES = new Map<Language, Pick<Reader, 'sentences' | 'words'>>();
for (const name of LANGUAGES) TEMPLATES.set(name, (await loadTexts(name)).templates);

test('every code has a text in every language, with the same values', () => {
  for (const [name, { sentences }] of TEMPLATES) {
    assert.deepEqual(Object.keys(sentences).toSorted(), CODES.toSorted(), name);
    for (const [code, english] of Object.entries(SENTENCES)) {
      const valuesOf = (template: string) =>
        [
          ...new Set(placeholdersOf(template).map((one) => `${one.name}:${one.kind}:${one.isOptional}`)),
        ].toSorted();
      assert.deepEqual(valuesOf(sentences[code] ?? ''), valuesOf(english), `${name} ${code}`);
    }
  }
});

test('no value is left unreplaced, with and without the values that may be missing', () => {
  for (const [language, templates] of TEMPLATES) {
    const reader: Reader = { ...ENGLISH, ...templates, language };
    for (const [code, template] of Object.entries(SENTENCES)) {
      for (const isWhole of [true, false]) {
        const needed = placeholdersOf(template).filter(({ isOptional }) => isWhole || !isOptional);
        const values = Object.fromEntries(needed.map(({ name: value, kind }) => [value, SAMPLES[kind]]));
        const text = written({ code, values }, reader);
        assert.ok(text !== null && text.length > 1, `${language} ${code}`);
        const left = code === 'null_value' ? /undefined/ : /[{}[\]<>|]|undefined|null|\[object| {2}/;
        assert.doesNotMatch(text, left, `${language} ${code}: ${text}`);
      }
    }
  }
});

test('a value that may be missing stands in a part that can be left out', () => {
  for (const [name, { sentences }] of TEMPLATES) {
    for (const [code, template] of Object.entries(sentences)) {
      const always = template.replaceAll(/\[[^\]]*\]/g, '');
      assert.ok(
        placeholdersOf(always).every(({ isOptional }) => !isOptional),
        `${name} ${code}`,
      );
    }
  }
});

test('every kind of value can be written, and every word is there in every language', () => {
  for (const [code, template] of Object.entries(SENTENCES)) {
    for (const { kind } of placeholdersOf(template))
      assert.ok(Object.hasOwn(SAMPLES, kind), `${code} ${kind}`);
  }
  const wordsOf = (words: Reader['words']) =>
    Object.entries(words).flatMap(([kind, all]) => Object.keys(all).map((word) => `${kind} ${word}`));
  for (const { words } of TEMPLATES.values()) {
    assert.deepEqual(wordsOf(words).toSorted(), wordsOf(WORDS).toSorted());
  }
});

test('a word that depends on a number has a form for each kind of number that its language tells apart', () => {
  for (const [name, { sentences }] of TEMPLATES) {
    const { pluralCategories } = pluralRulesOf(name).resolvedOptions();
    // French and Spanish have a further form for millions, for which the last form is right.
    const least = pluralCategories.includes('few') ? pluralCategories.length - 1 : 2;
    for (const [code, template] of Object.entries(sentences)) {
      const numbers = placeholdersOf(template).filter(({ kind }) => kind === 'number');
      for (const { name: value, forms } of formsOf(template)) {
        assert.ok(
          numbers.some((one) => one.name === value),
          `${name} ${code} ${value}`,
        );
        assert.ok(
          forms.length >= least && forms.length <= pluralCategories.length,
          `${name} ${code} ${forms}`,
        );
      }
    }
  }
  const told = { code: 'x', values: { days: 2, name: '<days:a|b>' } };
  const reader: Reader = {
    ...ENGLISH,
    language: 'pl',
    sentences: { x: '{days:number} <days:dzień|dni|dni|dnia>, {name:text}' },
  };
  assert.equal(written(told, reader), '2 dni, <days:a|b>');
  assert.equal(written({ code: 'x', values: { days: 1.5, name: '' } }, reader), '1.5 dnia, ');
});

test('a code has one meaning: it stands in one list, or has the same text in both', () => {
  const lists = [
    ALERTS,
    OPERATION_DETAILS,
    TRACE,
    ATTENTION,
    COMMAND_DETAILS,
    MISSION_DETAILS,
    FORECAST_REASONS,
    GRAIN_REASONS,
    FINDINGS,
    REFUSALS,
    FIELD_FAULTS,
    EXPECTED,
    LINK_FAULTS,
    PARTS,
  ];
  const known = new Map<string, string>();
  for (const [code, text] of lists.flatMap((list) => Object.entries(list))) {
    assert.equal(known.get(code) ?? text, text, code);
    known.set(code, text);
  }
});

test('no text is only copied', () => {
  const own =
    /^(?:\{why:Part\}\.|\{(?:words|text):text\})$|^\{(?:operation:Part|mission:mission)\} \(?\{status/;
  for (const [name, { sentences }] of TEMPLATES) {
    const copied = Object.entries(SENTENCES).filter(
      ([code, text]) => name !== 'en' && sentences[code] === text && !own.test(text),
    );
    assert.deepEqual(copied, [], name);
  }
});

test('a code that the page does not know is shown in the English of the service', async () => {
  await useLanguage('de');
  const told = { message: 'The hopper is open', message_code: 'hopper_open', message_values: {} };
  assert.equal(messageText(told), 'The hopper is open');
  const incomplete = { message: 'Level is low', message_code: 'level_below', message_values: { level: 3 } };
  assert.equal(messageText(incomplete), 'Level is low');
});

test('what to do about a refusal is told by the code of its sentence, else by its error code, else not at all', async () => {
  await useLanguage('en');
  assert.match(cureText({ code: 'reading_stale', message_code: 'weight_is_old' }) ?? '', /next weight/);
  assert.match(cureText({ code: 'forbidden', message_code: undefined }) ?? '', /^Sign in with a key/);
  assert.match(cureText({ code: 'device_offline', message_code: 'newer_code' }) ?? '', /power/);
  assert.equal(cureText({ code: 'newer_code', message_code: undefined }), null);
  await useLanguage('de');
  assert.match(cureText({ code: 'reading_stale', message_code: 'weight_is_old' }) ?? '', /nächste Gewicht/);
});

test('every action of the audit log has words in every language', async () => {
  const audited = ALL_ENDPOINTS.filter(({ endpoint }) => endpoint.isAudited);
  assert.ok(audited.length > 50);
  for (const language of LANGUAGES) {
    await useLanguage(language);
    for (const { name } of audited) assert.notEqual(actionText(name), name);
  }
  assert.equal(actionText('newer.action'), 'newer.action');
});

test('every error code has a text, which is shown where a refusal has no sentence of its own', async () => {
  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    await useLanguage(language);
    const { fields } = texts.value.common;
    for (const code of ERROR_CODES) {
      const details = [{ path: '/url', message: 'in English' }];
      const text = refusalText({ code, message: 'the English text', details });
      assert.doesNotMatch(text, /English|undefined/, `${language} ${code}`);
      assert.match(text, /^\p{Lu}/u, `${language} ${code}`);
      assert.ok(text.endsWith(`: ${fields.url}.`), `${language} ${code}: ${text}`);
    }
  }
  await useLanguage('de');
  const told = {
    code: 'reading_stale',
    message: 'x',
    message_code: 'weight_is_old',
    message_values: { age: 90 },
  };
  assert.equal(refusalText(told), 'Das letzte Gewicht ist 90\u00a0s alt.');
  const { details } = new Refusal('invalid_input', 'the body is not valid', [
    issueOf(
      '/targets/0/url',
      sentence('must_be', { what: [sentence('web_address'), sentence('null_value')] }),
    ),
  ]);
  assert.equal(
    refusalText({ code: 'invalid_input', message: 'x', details }),
    `${capitalized(ERRORS.invalid_input)}: Ziel 1 Adresse muss eine Adresse, die mit http:// oder https:// beginnt, ohne Leerzeichen oder leer (null) sein.`,
  );
  assert.equal(refusalText({ code: 'newer_code', message: 'it is too windy' }), 'It is too windy.');
});
