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

/** For a terminal that cannot show UTF-8: letters lose their accents, and other signs become a question mark. */
export const toAscii = (text: string): string =>
  text
    .replace(/[°…→–—·²³µß]/g, (sign) => ASCII_SIGNS[sign] ?? '?')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, '?');

/** Text of others must not control the terminal, and stays on one line. */
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
