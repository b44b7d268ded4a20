/** The columns of the table beside the name of the device, in their order. */
export const TABLE_COLUMNS = [
  'zone',
  'level',
  'stock',
  'empty',
  'order',
  'temperature',
  'battery_level',
  'alerts',
  'age',
] as const;
export type TableColumn = (typeof TABLE_COLUMNS)[number];

const NOT_USUAL: ReadonlySet<TableColumn> = new Set(['temperature', 'battery_level']);
const USUAL = TABLE_COLUMNS.filter((name) => !NOT_USUAL.has(name));
/** The value in the address when none of these columns is shown. */
const NONE = 'none';

/** The columns that the address names, or the usual ones. */
export function columnsOf(query: URLSearchParams): readonly TableColumn[] {
  const named = query.get('columns');
  if (named === null || named === '') return USUAL;
  const names = new Set<string>(named.split(','));
  return TABLE_COLUMNS.filter((name) => names.has(name));
}

/** The columns as a text for the address, which does not name the usual ones. */
export function columnsText(columns: readonly TableColumn[]): string | undefined {
  const text = TABLE_COLUMNS.filter((name) => columns.includes(name)).join(',');
  return text === USUAL.join(',') ? undefined : text || NONE;
}
