/** What a colour means; a word beside it always says the same. */
export type Tone = 'good' | 'warning' | 'bad' | 'faint' | 'strong';

const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  faint: [2, 22],
  strong: [1, 22],
};

export type Paint = (text: string, tone: Tone | undefined) => string;

export const painter =
  (hasColour: boolean): Paint =>
  (text, tone) => {
    if (!hasColour || tone === undefined) return text;
    const [on, off] = CODES[tone];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
