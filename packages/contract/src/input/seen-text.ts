/** What nobody sees, or what changes the direction of the text beside it: a name would look like another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Scripts in which a joiner changes nothing that is seen. */
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
/** Between letters of other scripts a joiner is seen by the form of the letters. */
const JOINERS = new RegExp(`(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})`, 'gu');

/** Whether everything in the text is seen by whoever reads it. */
export const isSeen = (text: string): boolean => text.replaceAll(JOINERS, '').search(UNSEEN) < 0;

/** The text with spaces in the place of what nobody sees. */
export function seenText(text: string): string {
  const joiners = new Set(Array.from(text.matchAll(JOINERS), ({ index }) => index));
  return text.replaceAll(UNSEEN, (unseen, index: number) => (joiners.has(index) ? unseen : ' '));
}
