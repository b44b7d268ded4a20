import type { TerminalTraits } from '../frame/environment.ts';

const BAR_COLUMNS_MAX = 30;
const BAR_COLUMNS_MIN = 4;
const COLUMNS_DEFAULT = 80;

/** A bar with words after it, cut to the width of the terminal; without the bar where there is no room for it. */
export function progressBar(
  share: number,
  words: string,
  { columns, isUtf8 }: Pick<TerminalTraits, 'columns' | 'isUtf8'>,
): string {
  const width = (columns ?? COLUMNS_DEFAULT) - 1;
  const barWidth = Math.min(BAR_COLUMNS_MAX, width - words.length - 3);
  if (barWidth < BAR_COLUMNS_MIN) return words.slice(0, width);
  const [full, empty] = isUtf8 ? ['█', '░'] : ['#', '.'];
  const filled = Math.round(Math.min(1, Math.max(0, share)) * barWidth);
  return `[${full.repeat(filled)}${empty.repeat(barWidth - filled)}] ${words}`;
}
