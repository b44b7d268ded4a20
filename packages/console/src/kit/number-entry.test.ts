import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES } from '@granary/words/languages';
import fc from 'fast-check';
import { formatNumber } from './format.ts';
import { groupedText, numberListsIn, numbersIn, numberText } from './number-entry.ts';

/** The languages of the page, as some countries use them. */
const LOCALES = [
  ...LANGUAGES,
  'en-GB',
  'en-IN',
  'en-ZA',
  'de-CH',
  'de-AT',
  'fr-CA',
  'fr-CH',
  'es-MX',
  'es-CR',
];

const read = (text: string, language: string, unit = 'kg'): readonly number[] =>
  numbersIn(text, { unit, language });

test('what a person types means one number, two, or none', () => {
  const cases: readonly (readonly [text: string, language: string, values: readonly number[]])[] = [
    ['1,5', 'de', [1.5]],
    ['1,5', 'en', [1.5]],
    ['1.5', 'de', [1.5]],
    ['1.5', 'fr', [1.5]],
    ['1.500', 'de', [1_500, 1.5]],
    ['1.500', 'en', [1.5, 1_500]],
    ['1,500', 'de', [1.5, 1_500]],
    ['1,500', 'en', [1_500, 1.5]],
    ['1.500', 'fr', [1_500, 1.5]],
    ['-1.500', 'de', [-1_500, -1.5]],
    ['1.500 kg', 'en', [1.5, 1_500]],
    ['0,500', 'de', [0.5]],
    ['0.500', 'de', [0.5]],
    ['000,500', 'de', [0.5]],
    [',5', 'de', [0.5]],
    ['.500', 'en', [0.5]],
    ['5,', 'de', [5]],
    ['1500', 'de', [1_500]],
    ['1500,500', 'en', [1_500.5]],
    ['1500.500', 'de', [1_500.5]],
    ['1.500,5', 'en', [1_500.5]],
    ['1,500.5', 'de', [1_500.5]],
    ['1.500,500', 'de', [1_500.5]],
    ['1.500.000', 'en', [1_500_000]],
    ['1,500,000', 'de', [1_500_000]],
    ['1 500', 'de', [1_500]],
    ['1\u00a0500', 'fr', [1_500]],
    ['1\u202f500,25', 'fr', [1_500.25]],
    ['1\u2009500', 'pl', [1_500]],
    ["1'500", 'de', [1_500]],
    ['1’500.5', 'de', [1_500.5]],
    ['1 500 kg', 'en', [1_500]],
    ['1\u202f500\u00a0kg', 'fr', [1_500]],
    ['1500KG', 'en', [1_500]],
    ['١٥٠٠', 'en', [1_500]],
    ['۱۵۰۰٫۵', 'en', [1_500.5]],
    ['١٬٥٠٠', 'en', [1_500]],
    ['007', 'en', [7]],
    ['  12  ', 'en', [12]],
    ['-12', 'en', [-12]],
    ['−12', 'en', [-12]],
    ['+12', 'en', [12]],
    ['-0', 'en', [0]],
    ['1,00,000', 'en-IN', [100_000]],
  ];
  for (const [text, language, values] of cases)
    assert.deepEqual(read(text, language), values, `${text} ${language}`);
});

test('what is written in no language is no number', () => {
  const words = [
    '',
    ' ',
    '-',
    '+',
    '.',
    ',',
    'kg',
    '∞',
    'NaN',
    'Infinity',
    '1e3',
    '0x10',
    '1/2',
    '½',
    '²',
    'many',
  ];
  const groups =
    "1 5|15 00|1 50 000|1,50,000|1,5,5|1.5.5|1,500,00|1.500.00,5|1.500,5.5|01.500.000|1.500'000|1 500.000.000";
  const others = '1,,5|1..5|--5|5-|- 5|1 t|1.500 t|1 500 lb|1\n500|1_500|1 500 kg kg|५|１５';
  const texts = words.concat(groups.split('|'), others.split('|'), '9'.repeat(400));
  for (const language of LANGUAGES) {
    for (const text of texts) assert.deepEqual(read(text, language), [], `${text} ${language}`);
  }
});

const value = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((one) => Number(one.toFixed(9))),
  fc.integer({ min: -2_000_000, max: 2_000_000 }).map((one) => one / 1_000),
  fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
);

test('what a field shows is read back as the same number, and as nothing else', () => {
  fc.assert(
    fc.property(fc.constantFrom(...LOCALES), value, (language, number) => {
      assert.deepEqual(read(numberText(number, language), language), [number === 0 ? 0 : number]);
    }),
  );
});

test('what the page writes is read back, or refused where it could mean another number, too', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...LOCALES),
      value,
      fc.constantFrom('kg', 't/h', '°C', '%'),
      (language, number, unit) => {
        const text = `${groupedText(number, language)}\u00a0${unit}`;
        const found = read(text, language, unit);
        assert.equal(found[0], number === 0 ? 0 : number, text);
        const looksGrouped = /^−?[1-9]\d{0,2}[.,]\d{3}$/.test(groupedText(number, language));
        assert.equal(found.length, looksGrouped ? 2 : 1, text);
      },
    ),
  );
});

test('no text means a number that nobody would read in it', () => {
  const signs = fc.constantFrom(..."0123456789.,'’ \u00a0\u202f−-+eE∞٫٬١٥kgt");
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 12 }), fc.constantFrom(...LOCALES), (parts, language) => {
      const digits = (text: string): string => text.replace(/\D/g, '').replace(/^0+|0+$/g, '');
      const text = parts.join('').replaceAll('١', '1').replaceAll('٥', '5');
      for (const found of read(parts.join(''), language)) {
        assert.ok(Number.isFinite(found));
        assert.equal(digits(formatNumber(found, 20, 'en', 0)), digits(text), `${text} ${found}`);
      }
    }),
  );
});

test('numbers one after the other, and a comma that may be inside of one', () => {
  const cases: readonly (readonly [text: string, language: string, lists: readonly (readonly number[])[]])[] =
    [
      ['8000; 6000; 6000', 'de', [[8_000, 6_000, 6_000]]],
      ['8000;6000,5', 'de', [[8_000, 6_000.5]]],
      ['8000,6000,6000', 'de', [[8_000, 6_000, 6_000]]],
      ['8000, 6000', 'en', [[8_000, 6_000]]],
      ['6000,500', 'de', [[6_000.5], [6_000, 500]]],
      [
        '8.000; 6.000,5',
        'de',
        [
          [8_000, 6_000.5],
          [8, 6_000.5],
        ],
      ],
      ['8000', 'en', [[8_000]]],
      ['8000;', 'en', [[8_000]]],
      ['8000; many', 'en', []],
      ['', 'en', []],
    ];
  for (const [text, language, lists] of cases)
    assert.deepEqual(numberListsIn(text, { unit: 'kg', language }), lists, text);
});
