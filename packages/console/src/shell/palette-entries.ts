/** Something that can be gone to or done from the palette. */
export interface PaletteEntry {
  readonly id: string;
  readonly text: string;
  /** Where it is, or what it belongs to. */
  readonly place: string;
  readonly run: () => void;
}

const SHOWN_MAX = 12;

/** The entries in which each word of the search begins a word, those whose text begins with it first. */
export function matching(entries: readonly PaletteEntry[], search: string): PaletteEntry[] {
  const wanted = wordsOf(search);
  const whole = search.trim().toLowerCase();
  const found = entries.filter(({ text, place }) => {
    const words = wordsOf(`${text} ${place}`);
    return wanted.every((one) => words.some((word) => word.startsWith(one)));
  });
  const isFirst = ({ text }: PaletteEntry): boolean => text.toLowerCase().startsWith(whole);
  return [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))].slice(0, SHOWN_MAX);
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
