/** A row of a file; `row` counts as a spreadsheet does, so the first one is 1. */
export interface CsvRow {
  readonly row: number;
  readonly cells: readonly string[];
  /** Why the rest of the file cannot be read; such a row is the last one. */
  readonly fault?: 'open_quote' | 'text_after_quote' | 'too_many_cells';
}

const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];
const CELLS_MAX = 200;
const BYTE_ORDER_MARK = '\ufeff';

/** Returns the separator of a file: a spreadsheet writes semicolons where a comma is the decimal mark. */
export function separatorOf(text: string): Separator {
  const end = text.search(/[\r\n]/);
  const names = (end === -1 ? text : text.slice(0, end)).replaceAll(/"[^"]*"/g, '');
  const countOf = (separator: Separator): number => names.split(separator).length;
  return SEPARATORS.reduce((most, one) => (countOf(one) > countOf(most) ? one : most));
}

/** The rows of RFC 4180, with any of the usual separators and line ends. */
export function* csvRows(text: string, separator: Separator): Generator<CsvRow, void> {
  const isEndOfCell = (at: number): boolean => at >= text.length || ENDS.has(text[at] ?? '');
  const ENDS = new Set([separator, '\r', '\n']);
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  for (let row = 1; at < text.length; row++) {
    const cells: string[] = [];
    for (;;) {
      const start = at;
      if (text[at] === '"') {
        at = endOfQuoted(text, at);
        if (at === -1) return yield { row, cells, fault: 'open_quote' };
        if (!isEndOfCell(at)) return yield { row, cells, fault: 'text_after_quote' };
        cells.push(
          text
            .slice(start + 1, at - 1)
            .replaceAll('""', '"')
            .trim(),
        );
      } else {
        while (!isEndOfCell(at)) at++;
        cells.push(text.slice(start, at).trim());
      }
      if (cells.length > CELLS_MAX) return yield { row, cells, fault: 'too_many_cells' };
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    yield { row, cells };
  }
}

/** The position after the quote that ends the cell; -1 if there is none. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at === -1 ? -1 : at + 1;
}
