/** Something that can be opened or done from the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly text: string;
  /** The place of the entry, or what it belongs to. */
  readonly place: string;
  readonly run: () => void;
}

/** Further entries are found by typing more. */
export const ENTRIES_SHOWN_MAX = 12;

/** The entries in which each word of the search begins a word: first texts that begin with the search, then other texts, then places. */
export function matching(entries: readonly PaletteEntry[], search: string): PaletteEntry[] {
  const wanted = wordsOf(search);
  const whole = search.trim().toLowerCase();
  const isIn = (text: string): boolean => {
    const words = wordsOf(text);
    return wanted.every((one) => words.some((word) => word.startsWith(one)));
  };
  const rank = ({ text }: PaletteEntry): number =>
    Number(!text.toLowerCase().startsWith(whole)) + Number(!isIn(text));
  return entries
    .filter(({ text, place }) => isIn(`${text} ${place}`))
    .sort((one, other) => rank(one) - rank(other));
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
