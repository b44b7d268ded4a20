import { formatNumber } from './format.ts';

/** Longer texts are not read; no number of a form is that long, even in a whole sentence that was pasted. */
const CHARS_MAX = 60;
/** This is more decimals than a number can have, so that none is cut off. */
const DECIMALS_MAX = 20;

/** The number of meanings that are collected; more are not offered. */
const LISTS_MAX = 4;

const ZEROS = ['\u0660', '\u06f0'];
const DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g;
const SPACES = /[\u00a0\u2007\u2009\u202f]/g;
const APOSTROPHES = /[\u2019\u02bc\u066c]/g;

/** The signs with which languages separate decimals, and groups of digits. */
const DECIMAL_SIGNS = ['.', ',', '\u066b'];
const GROUP_SIGNS = ['.', ',', ' ', "'"];

export interface NumberForm {
  /** The unit that may stand behind the number, such as `kg`; empty for none. */
  readonly unit: string;
  readonly language: string;
}

/**
 * Every number that a text can mean in any language, the meaning in the language of the page first. An empty result means that the text
 * is not a number. With two numbers only the person knows which one was meant: `1.500` is written for one and a half, and for 1,500.
 */
export function numbersIn(text: string, { unit, language }: NumberForm): readonly number[] {
  if (text.length > CHARS_MAX) return [];
  const plain = withoutUnit(inPlainSigns(text), inPlainSigns(unit));
  const [, sign = '', size = ''] = /^([+-]?)(.*)$/.exec(plain) ?? [];
  const values = DECIMAL_SIGNS.flatMap((decimalSign) =>
    ['', ...GROUP_SIGNS]
      .filter((groupSign) => groupSign !== decimalSign)
      .flatMap((groupSign) => meaningOf(size, decimalSign, groupSign, groupsOf(language))),
  ).filter(Number.isFinite);
  const found = [...new Set(values)].map((value) => (sign === '-' && value !== 0 ? -value : value));
  // If the text contains the decimal sign of the page, the smaller number is the one that the page would write in this way.
  const isDecimal = size.includes(decimalSignOf(language));
  return found.toSorted((one, other) => (Math.abs(one) - Math.abs(other)) * (isDecimal ? 1 : -1));
}

/**
 * The lists of numbers that a text can mean. A semicolon separates numbers in every language. A comma separates them only where it can
 * have no other meaning, because `6000,500` is also written for one number.
 */
export function numberListsIn(text: string, form: NumberForm): readonly (readonly number[])[] {
  const parts = text.split(';').filter((part) => part.trim() !== '');
  const [first = '', second] = parts;
  if (second !== undefined) {
    const each = parts.map((part) => numbersIn(part, form));
    return each.some(({ length }) => length === 0) ? [] : combined(each);
  }
  const asOne = numbersIn(first, form).map((value) => [value]);
  const items = first.split(',').map((item) => item.trim());
  const isList = items.length > 1 && items.every((item) => /^[1-9]\d*$/.test(item));
  return isList ? asOne.concat([items.map(Number)]) : asOne;
}

/** All lists that can be made of one value of each element. */
const combined = (each: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  each.reduce<readonly (readonly number[])[]>(
    (lists, values) => lists.flatMap((list) => values.map((value) => list.concat(value))).slice(0, LISTS_MAX),
    [[]],
  );

/** A number as a field shows it: in the form of the page, but without groups of digits, so that it has only one meaning. */
export function numberText(value: number, language: string): string {
  const digits = formatNumber(Math.abs(value), DECIMALS_MAX, 'en', 0).replaceAll(',', '');
  const shown = digits.replace('.', decimalSignOf(language));
  // Three decimals look like a group of thousands, so a zero is added.
  const isClear = !/^[1-9]\d{0,2}\.\d{3}$/.test(digits);
  return `${value < 0 ? '−' : ''}${shown}${isClear ? '' : '0'}`;
}

/** A number as the page writes it, with all its digits. */
export const groupedText = (value: number, language: string): string =>
  formatNumber(value, DECIMALS_MAX, language, 0);

/** The text with one sign for each purpose; no language gives the replaced signs different meanings. */
const inPlainSigns = (text: string): string =>
  text
    .replace(DIGIT, (digit) => {
      const zero = ZEROS.findLast((one) => one <= digit) ?? digit;
      return String(digit.charCodeAt(0) - zero.charCodeAt(0));
    })
    .replace(SPACES, ' ')
    .replace(APOSTROPHES, "'")
    .replace('−', '-')
    .trim();

const withoutUnit = (text: string, unit: string): string =>
  unit !== '' && text.toLowerCase().endsWith(unit.toLowerCase())
    ? text.slice(0, -unit.length).trimEnd()
    : text;

/** The number that the text means with these signs; empty if the text is not written with them. */
function meaningOf(text: string, decimalSign: string, groupSign: string, groups: string): readonly number[] {
  const whole = groupSign === '' ? '\\d*' : `[1-9]\\d{0,2}(?:[${groupSign}]${groups})*[${groupSign}]\\d{3}`;
  const written = new RegExp(`^(${whole})(?:[${decimalSign}](\\d*))?$`).exec(text);
  if (written === null) return [];
  const [, before = '', after = ''] = written;
  if (before === '' && after === '') return [];
  return [Number(`${before.replaceAll(groupSign, '')}.${after}0`)];
}

const decimalSignOf = (language: string): string => formatNumber(1.5, 1, language).replace(/[\p{Nd}]/gu, '');

/** In India the groups before the last one have two digits. */
const groupsOf = (language: string): string =>
  groupedText(10_000_000, language).startsWith('1,00,') ? '\\d{2}' : '\\d{3}';
