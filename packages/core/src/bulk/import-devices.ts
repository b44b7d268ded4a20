import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf, shouldBeNumber } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { type SiteDevice, siteDeviceFaults } from '@granary/contract/site';
import { type Limits, mayPlace } from '../keys.ts';
import { type CsvRow, csvRows, separatorOf } from './csv.ts';

const NEEDED = ['device_id', 'profile', 'name', 'model', 'facility', 'zone'] as const;
const COLUMNS = [...NEEDED, 'firmware_version', 'capacity_kg'] as const;
const LABEL = 'label.';
type Column = (typeof COLUMNS)[number] | `${typeof LABEL}${string}`;

/** Digits with at most one decimal mark. Three digits after the mark may be thousands, so such a text is refused. */
const NUMBER = /^\d{1,12}([.,](\d{1,2}|\d{4,6}))?$/;

const FAULTS = {
  open_quote: sentence('has_open_quote'),
  text_after_quote: sentence('has_text_after_quote'),
  too_many_cells: sentence('has_too_many_cells'),
} as const;

export interface DeviceOfRow {
  readonly row: number;
  readonly device: SiteDevice;
}

/** A row of the file: its device, or all faults of the row. */
export type ReadRow = DeviceOfRow | { readonly row: number; readonly faults: readonly ValidationIssue[] };

/** The path of a fault in a row, or in one of its columns. */
export const placeOf = (row: number, column = ''): string =>
  column === '' ? `/rows/${row}` : `/rows/${row}/${column}`;

/** The devices of a file row by row, so that other work can be done in between. An unusable first row ends it. */
export function* readDevices(text: string, limits: Limits): Generator<ReadRow, void> {
  const rowOf = new Map<string, number>();
  let columns: readonly Column[] | null = null;
  for (const { row, cells, fault } of csvRows(text, separatorOf(text))) {
    if (fault !== undefined) return yield { row, faults: [issueOf(placeOf(row), FAULTS[fault])] };
    if (columns === null) {
      const names = cells.map((cell) => cell.toLowerCase());
      const faults = columnFaults(names);
      if (faults.length > 0) return yield { row, faults };
      columns = names as readonly Column[];
    } else if (cells.some((cell) => cell !== '')) {
      yield readRow({ row, cells }, columns, { limits, rowOf });
    }
  }
}

function columnFaults(names: readonly string[]): ValidationIssue[] {
  const known: readonly string[] = COLUMNS;
  const unknown = names.filter((name) => !known.includes(name) && !name.startsWith(LABEL));
  const columns = [...COLUMNS, `${LABEL}…`].join(', ');
  const repeated = names.filter((name, at) => names.indexOf(name) < at);
  return [
    ...unknown.map((name) => issueOf(placeOf(1, name), sentence('is_no_column', { columns }))),
    ...repeated.map((name) => issueOf(placeOf(1, name), sentence('is_listed_twice'))),
    ...NEEDED.filter((name) => !names.includes(name)).map((name) =>
      issueOf(placeOf(1, name), sentence('is_required')),
    ),
  ];
}

interface Reading {
  readonly limits: Limits;
  /** The rows of the devices that were read so far, by device id. */
  readonly rowOf: Map<string, number>;
}

function readRow({ row, cells }: CsvRow, columns: readonly Column[], reading: Reading): ReadRow {
  const cellOf = new Map(columns.map((column, at) => [column, cells[at] ?? '']));
  const text = (column: Column): string | undefined => cellOf.get(column) || undefined;
  const labels = columns.flatMap((column) => {
    const value = column.startsWith(LABEL) ? text(column) : undefined;
    return value === undefined ? [] : [[column.slice(LABEL.length), value] as const];
  });
  const capacity = text('capacity_kg');
  const entry = {
    ...given({ device_id: text('device_id'), profile: text('profile'), name: text('name') }),
    ...given({ model: text('model'), firmware_version: text('firmware_version') }),
    location: given({ facility: text('facility'), zone: text('zone') }),
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
    ...(capacity === undefined ? {} : { capacity: { max: numberOf(capacity), unit: 'kg' } }),
  };
  const wrong = siteDeviceFaults(entry).map(({ path, ...issue }) => {
    const place = placeOf(row, columnAt(path));
    return shouldBeNumber({ path, ...issue })
      ? issueOf(place, sentence('must_be_plain_number'))
      : { ...issue, path: place };
  });
  const extra = cells.slice(columns.length).some((cell) => cell !== '');
  const faults = extra ? [issueOf(placeOf(row), sentence('has_more_cells')), ...wrong] : wrong;
  if (faults.length > 0) return { row, faults };
  const device = entry as SiteDevice;
  const refused = faultAmongOthers(row, device, reading);
  return refused === null ? { row, device } : { row, faults: [refused] };
}

const given = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

/** A text that is not a number stays text, and the schema refuses it. */
const numberOf = (text: string): number | string =>
  NUMBER.test(text) ? Number(text.replace(',', '.')) : text;

function columnAt(path: string): string {
  const [, field = '', part = ''] = path.split('/');
  if (field === 'location') return part;
  if (field === 'labels') return LABEL + part;
  return field === 'capacity' ? 'capacity_kg' : field;
}

/** Refuses a second device with the id, and a device that the key may not register. */
function faultAmongOthers(
  row: number,
  { device_id: deviceId, location: { facility } }: SiteDevice,
  { limits, rowOf }: Reading,
): ValidationIssue | null {
  const first = rowOf.get(deviceId);
  if (first !== undefined)
    return issueOf(placeOf(row, 'device_id'), sentence('is_that_of_row', { row: first }));
  rowOf.set(deviceId, row);
  if (mayPlace(limits, { deviceId, facility })) return null;
  return issueOf(placeOf(row, 'facility'), sentence('is_beyond_the_key'));
}
