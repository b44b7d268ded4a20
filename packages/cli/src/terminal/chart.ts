const UTF8_LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_LEVELS = ['_', '.', '-', '=', '+', '*', '#', '@'];
const HEIGHT = 6;

export interface ChartOptions {
  readonly width: number;
  readonly isUtf8: boolean;
  readonly label: (value: number) => string;
}

/** Columns whose height shows the values; `null` is a time without a value. */
export function chart(values: readonly (number | null)[], { width, isUtf8, label }: ChartOptions): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'no values';
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const labelWidth = Math.max(label(high).length, label(low).length);
  const columns = fitted(values, Math.max(1, width - labelWidth - 2));
  const levels = isUtf8 ? UTF8_LEVELS : ASCII_LEVELS;
  const axis = isUtf8 ? '│' : '|';
  const steps = HEIGHT * levels.length;
  const heights = columns.map((value) =>
    value === null
      ? 0
      : Math.max(1, Math.round(high === low ? steps / 2 : ((value - low) / (high - low)) * steps)),
  );
  return Array.from({ length: HEIGHT }, (_, row) => {
    const base = (HEIGHT - 1 - row) * levels.length;
    const cells = heights.map((height) => signAt(height - base, levels)).join('');
    const text = new Map([
      [0, label(high)],
      [HEIGHT - 1, label(low)],
    ]).get(row);
    return `${(text ?? '').padStart(labelWidth)} ${axis}${cells}`.trimEnd();
  }).join('\n');
}

function signAt(height: number, levels: readonly string[]): string {
  if (height <= 0) return ' ';
  return levels[Math.min(height, levels.length) - 1] ?? ' ';
}

/** The mean of neighbouring values, where there are more values than columns. */
function fitted(values: readonly (number | null)[], width: number): (number | null)[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    const known = values.slice(from, to).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
