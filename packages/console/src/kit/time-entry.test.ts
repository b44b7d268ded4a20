import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES } from '@granary/words/languages';
import fc from 'fast-check';
import { type TimeKind, timesIn, timeText } from './time-entry.ts';

const LOCALES = [
  ...LANGUAGES,
  'en-GB',
  'en-US',
  'en-AU',
  'en-CA',
  'en-IN',
  'de-AT',
  'fr-CA',
  'fr-CH',
  'es-MX',
  'es-US',
  'nl-BE',
];

const minute = fc
  .date({ min: new Date('2000-01-01T00:00Z'), max: new Date('2099-12-31T23:59Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 16));

const VALUES: Readonly<Record<TimeKind, (iso: string) => string>> = {
  date: (iso) => iso.slice(0, 10),
  time: (iso) => iso.slice(11),
  dateTime: (iso) => iso,
};

test('what the page writes in a field is read back as the same time, and as nothing else', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LOCALES),
      fc.constantFrom<TimeKind>('date', 'time', 'dateTime'),
      minute,
      (language, kind, iso) => {
        const value = VALUES[kind](iso);
        const text = timeText(value, kind, language);
        assert.deepEqual(timesIn(text, kind, language), [value], text);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('what a person types means one time, two, or none', () => {
  const cases: readonly (readonly [
    text: string,
    kind: TimeKind,
    language: string,
    values: readonly string[],
  ])[] = [
    ['19.11.2026', 'date', 'de', ['2026-11-19']],
    ['19. 11. 26', 'date', 'en', ['2026-11-19']],
    ['3.4.2026', 'date', 'en', ['2026-04-03']],
    ['3/4/2026', 'date', 'en', ['2026-03-04', '2026-04-03']],
    ['3/4/2026', 'date', 'en-GB', ['2026-04-03', '2026-03-04']],
    ['3-4-2026', 'date', 'nl', ['2026-04-03', '2026-03-04']],
    ['4/4/2026', 'date', 'de', ['2026-04-04']],
    ['11/19/2026', 'date', 'de', ['2026-11-19']],
    ['19/11/2026', 'date', 'en', ['2026-11-19']],
    ['2026-11-19', 'date', 'fr', ['2026-11-19']],
    ['19 November 2026', 'date', 'de', ['2026-11-19']],
    ['19. nov 2026', 'date', 'de', ['2026-11-19']],
    ['Nov 19 2026', 'date', 'en', ['2026-11-19']],
    ['1er janvier 2026', 'date', 'fr', ['2026-01-01']],
    ['19 listopada 2026', 'date', 'pl', ['2026-11-19']],
    ['2 października 2026', 'date', 'pl', ['2026-10-02']],
    ['3 de marzo de 2026', 'date', 'es', ['2026-03-03']],
    ['3 juin 2026', 'date', 'fr', ['2026-06-03']],
    ['3 jui 2026', 'date', 'fr', []],
    ['30.2.2026', 'date', 'de', []],
    ['31/13/2026', 'date', 'en', []],
    ['19.11.', 'date', 'de', []],
    ['14:05', 'time', 'de', ['14:05']],
    ['14.05', 'time', 'de', ['14:05']],
    ['14h05', 'time', 'fr', ['14:05']],
    ['14 h', 'time', 'fr', ['14:00']],
    ['6 Uhr', 'time', 'de', ['06:00']],
    ['2:05 PM', 'time', 'de', ['14:05']],
    ['2 p.m.', 'time', 'en', ['14:00']],
    ['12:00 am', 'time', 'en', ['00:00']],
    ['12 pm', 'time', 'en', ['12:00']],
    ['13 pm', 'time', 'en', []],
    ['24:00', 'time', 'de', []],
    ['12:60', 'time', 'de', []],
    ['14', 'time', 'de', []],
    ['now', 'time', 'en', []],
    ['19.11.2026 14:05', 'dateTime', 'de', ['2026-11-19T14:05']],
    ['19.11.2026 um 14:05 Uhr', 'dateTime', 'de', ['2026-11-19T14:05']],
    ['19.11.2026, 14.05', 'dateTime', 'de', ['2026-11-19T14:05']],
    ['2026-11-19T14:05', 'dateTime', 'de', ['2026-11-19T14:05']],
    ['Nov 19, 2026, 2 PM', 'dateTime', 'en', ['2026-11-19T14:00']],
    ['3/4/2026 2:05 PM', 'dateTime', 'en', ['2026-03-04T14:05', '2026-04-03T14:05']],
    ['19.11.2026', 'dateTime', 'de', []],
    ['14:05', 'dateTime', 'de', []],
    ['', 'dateTime', 'de', []],
  ];
  for (const [text, kind, language, values] of cases)
    assert.deepEqual(timesIn(text, kind, language), values, `${text} ${language}`);
});

test('no text means a time that is in no calendar', () => {
  const parts = fc.constantFrom(
    '1',
    '2',
    '31',
    '2026',
    '.',
    '/',
    '-',
    ':',
    ' ',
    ', ',
    'T',
    'nov',
    'mai',
    'pm',
    'h',
    'uhr',
    '١',
  );
  const kinds = fc.constantFrom<TimeKind>('date', 'time', 'dateTime');
  fc.assert(
    fc.property(
      fc.array(parts, { maxLength: 14 }),
      kinds,
      fc.constantFrom(...LOCALES),
      (text, kind, language) => {
        for (const value of timesIn(text.join(''), kind, language)) {
          const whole = kind === 'time' ? `2026-01-01T${value}` : value;
          assert.ok(new Date(`${whole}${kind === 'date' ? '' : 'Z'}`).toISOString().includes(value), value);
        }
      },
    ),
  );
});
