import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usesIn } from '@granary/words/declaration';
import { LANGUAGES, loadTexts } from '@granary/words/languages';
import { ALERTS } from './alerts.ts';
import { SENTENCES } from './codes.ts';
import { ENGLISH } from './english.ts';
import { EXPECTED, FIELD_FAULTS, LINK_FAULTS } from './faults.ts';
import { FINDINGS, FORECAST_REASONS, GRAIN_REASONS } from './foresight.ts';
import { ATTENTION, COMMAND_DETAILS, MISSION_DETAILS, OPERATION_DETAILS, TRACE } from './jobs.ts';
import { PARTS } from './parts.ts';
import { REFUSALS } from './refusals.ts';
import type { KindsOfValues } from './sentence.ts';
import { WORDS } from './words.ts';
import { type Reader, written } from './writing.ts';

const CODES: readonly (readonly [string, KindsOfValues])[] = Object.entries(SENTENCES);

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
  ...Object.fromEntries(Object.entries(WORDS).map(([kind, words]) => [kind, words[0]])),
};

test('every code has a text in every language, and every text a code', async () => {
  for (const language of LANGUAGES) {
    const { sentences } = await loadTexts(language);
    assert.deepEqual(Object.keys(sentences).toSorted(), Object.keys(SENTENCES).toSorted(), language);
  }
});

test('a text uses the values that its code declares, and can do without those that may be missing', async () => {
  for (const language of LANGUAGES) {
    const { sentences } = await loadTexts(language);
    for (const [code, kinds] of CODES) {
      const used = [...usesIn(sentences[code] ?? '')].map(
        ([name, uses]) => `${name} ${uses.has('missing') ? 'may be missing' : 'is there'}`,
      );
      const declared = Object.entries(kinds).map(
        ([name, kind]) => `${name} ${kind.endsWith('?') ? 'may be missing' : 'is there'}`,
      );
      assert.deepEqual(used.toSorted(), declared.toSorted(), `${language} ${code}`);
      for (const [name, uses] of usesIn(sentences[code] ?? ''))
        if (uses.has('count'))
          assert.equal(kinds[name]?.replace('?', ''), 'number', `${language} ${code} ${name}`);
    }
  }
});

test('every sentence can be written, with and without the values that may be missing', async () => {
  for (const language of LANGUAGES) {
    const { sentences, words } = await loadTexts(language);
    const reader: Reader = { ...ENGLISH, sentences, words, language };
    for (const [code, kinds] of CODES) {
      for (const isWhole of [true, false]) {
        const needed = Object.entries(kinds).filter(([, kind]) => isWhole || !kind.endsWith('?'));
        const values = Object.fromEntries(
          needed.map(([name, kind]) => {
            assert.ok(Object.hasOwn(SAMPLES, kind.replace('?', '')), `${code} ${kind}`);
            return [name, SAMPLES[kind.replace('?', '')]];
          }),
        );
        const text = written({ code, values }, reader);
        assert.ok(text !== null && text.length > 1, `${language} ${code}`);
        const left = code === 'null_value' ? /undefined/ : /[{}]|undefined|null|\[object| {2}/;
        assert.doesNotMatch(text, left, `${language} ${code}: ${text}`);
      }
    }
  }
});

test('a value of a wrong kind, and a code that the language does not have, make no sentence', () => {
  assert.equal(written({ code: 'level_below', values: { level: 3 } }, ENGLISH), null);
  assert.equal(written({ code: 'level_below', values: { level: '3', limit: 5 } }, ENGLISH), null);
  assert.equal(written({ code: 'hopper_open', values: {} }, ENGLISH), null);
  assert.equal(written({ code: 'toString', values: {} }, ENGLISH), null);
});

test('every word of a set is there in every language', async () => {
  for (const language of LANGUAGES) {
    const { words } = await loadTexts(language);
    const named = Object.entries(words).map(([kind, all]) => [kind, Object.keys(all)]);
    assert.deepEqual(Object.fromEntries(named), Object.fromEntries(Object.entries(WORDS)), language);
  }
});

test('a code has one meaning: it stands in one list, or has the same values in both', () => {
  const lists: readonly Readonly<Record<string, KindsOfValues>>[] = [
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
  const known = new Map<string, KindsOfValues>();
  for (const [code, kinds] of lists.flatMap((list) => Object.entries(list))) {
    assert.deepEqual(known.get(code) ?? kinds, kinds, code);
    known.set(code, kinds);
  }
});
