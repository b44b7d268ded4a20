/** Characters that are invisible, or that change the direction of the text beside them: with them a name can look like another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Scripts in which a joiner changes nothing visible. */
const WITHOUT_JOINERS = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Hebrew',
  'Georgian',
  'Hangul',
  'Han',
  'Hira',
  'Kana',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const JOINED = `(?![${WITHOUT_JOINERS}])[\\p{L}\\p{M}]`;
/** Between letters of other scripts a joiner changes the form of the letters, so it is visible. */
const JOINERS = new RegExp(`(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})`, 'gu');

/** Whether every character of the text is visible. */
export const isSeen = (text: string): boolean => text.replaceAll(JOINERS, '').search(UNSEEN) < 0;

/** The text with spaces instead of invisible characters. */
export function seenText(text: string): string {
  const joiners = new Set(Array.from(text.matchAll(JOINERS), ({ index }) => index));
  return text.replaceAll(UNSEEN, (unseen, index: number) => (joiners.has(index) ? unseen : ' '));
}
