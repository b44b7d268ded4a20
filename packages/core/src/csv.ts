export type CsvCell = string | number | null;

/** A text with a separator or a quote is quoted, as RFC 4180 says; one that a spreadsheet would compute is quoted with a mark. */
function cell(value: CsvCell): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvText = (columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
