/** A field with a comma, a quote or a line break is quoted, after RFC 4180. */
const csvField = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvLine = (values: readonly unknown[]): string => values.map(csvField).join(',');
