import { stripVTControlCharacters } from 'node:util';

const ASCII_SIGNS: Readonly<Record<string, string>> = {
  '°': ' deg ',
  '…': '...',
  '→': '->',
  '–': '-',
  '—': '-',
  '·': '-',
  '²': '2',
  '³': '3',
  µ: 'u',
  ß: 'ss',
};
const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  faint: [2, 22],
  strong: [1, 22],
};

/** Makes a text for a terminal that cannot show UTF-8: letters lose their accents, and other signs become a question mark. */
export const toAscii = (text: string): string =>
  text
    .replace(/[°…→–—·²³µß]/g, (sign) => ASCII_SIGNS[sign] ?? '?')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, '?');

/** Makes a text of others safe: it cannot control the terminal, and stays on one line. */
export const printable = (text: string): string => stripVTControlCharacters(text).replace(/\p{Cc}/gu, ' ');

/** A code name of the API as words. */
export const inWords = (code: string): string => code.replaceAll('_', ' ');

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Breaks a text at spaces; a word that is too long is cut. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (joined.length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (line.length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return [...lines, line];
}

/** The meaning of a colour; a word beside it always says the same. */
export type Tone = 'good' | 'warning' | 'bad' | 'faint' | 'strong';

export type Paint = (text: string, tone: Tone | undefined) => string;

export const painter =
  (hasColour: boolean): Paint =>
  (text, tone) => {
    if (!hasColour || tone === undefined) return text;
    const [on, off] = CODES[tone];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
