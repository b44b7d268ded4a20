import type { TerminalTraits } from '../program/environment.ts';
import { painter, printable, type Tone, wrap } from './text.ts';

const GAP = '  ';
const INDENT = '  ';

export interface Column<Item> {
  readonly title: string;
  readonly text: (item: Item) => string;
  readonly tone?: (item: Item) => Tone | undefined;
}

interface Cell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A table as text, or one block for each item if the table is wider than the terminal. */
export function table<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  { columns: width, hasColour }: Pick<TerminalTraits, 'columns' | 'hasColour'>,
): string {
  const rows = items.map((item) =>
    columns.map(({ text, tone }): Cell => ({ text: printable(text(item)), tone: tone?.(item) })),
  );
  const titles = columns.map(({ title }): Cell => ({ text: title, tone: 'strong' }));
  const widths = titles.map(({ text }, index) =>
    Math.max(text.length, ...rows.map((row) => row[index]?.text.length ?? 0)),
  );
  const total = widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
  if (width !== null && total > width) return blocks(titles, rows, width, hasColour);
  const paint = painter(hasColour);
  return [titles, ...rows]
    .map((row) =>
      row.map(({ text, tone }, index) =>
        padded(paint(text, tone), text, widths[index] ?? 0, index === row.length - 1),
      ),
    )
    .map((cells) => cells.join(GAP).trimEnd())
    .join('\n');
}

const padded = (shown: string, text: string, width: number, isLast: boolean): string =>
  isLast ? shown : shown + ' '.repeat(width - text.length);

function blocks(
  titles: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  width: number,
  hasColour: boolean,
): string {
  const paint = painter(hasColour);
  const labels = titles.slice(1).map(({ text }) => text);
  const labelWidth = Math.max(0, ...labels.map(({ length }) => length));
  const valueWidth = Math.max(8, width - INDENT.length - labelWidth - GAP.length);
  return rows
    .map(([head, ...cells]) => {
      const lines = cells.flatMap(({ text, tone }, index) =>
        wrap(text, valueWidth).map((part, line) => {
          const label = line === 0 ? (labels[index] ?? '') : '';
          return `${INDENT}${label.padEnd(labelWidth)}${GAP}${paint(part, tone)}`.trimEnd();
        }),
      );
      return [paint(head?.text ?? '', 'strong'), ...lines].join('\n');
    })
    .join('\n');
}

/** A field with a comma, a quote or a line break is quoted, after RFC 4180. */
const csvField = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvLine = (values: readonly unknown[]): string => values.map(csvField).join(',');
