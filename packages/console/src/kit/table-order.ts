import type { ComponentChildren } from 'preact';

/** The values by which rows can be ordered; `null` is always last. */
export type SortValue = string | number | null;

export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Reads the order from an address: the name of a column, after a minus for descending order. */
export function parseOrder(text: string | null | undefined): Order | null {
  if (text === null || text === undefined || text === '') return null;
  return text.startsWith('-')
    ? { column: text.slice(1), isDescending: true }
    : { column: text, isDescending: false };
}

export const orderText = ({ column, isDescending }: Order): string => `${isDescending ? '-' : ''}${column}`;

/** The order after a press on the head of a column: upwards, then downwards. */
export const orderAfterPress = (now: Order | null, column: string): Order => ({
  column,
  isDescending: now?.column === column && !now.isDescending,
});

/** Orders rows. Numbers within names count as numbers: "Silo 2" is before "Silo 10". */
export function ordered<Row>(
  rows: readonly Row[],
  sortBy: (row: Row) => SortValue,
  isDescending: boolean,
  language: string,
): readonly Row[] {
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' });
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: sortBy(row) }))
    .sort(({ value: one }, { value: other }) => {
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      const difference =
        typeof one === 'number' && typeof other === 'number'
          ? one - other
          : compare(String(one), String(other));
      return direction * difference;
    })
    .map(({ row }) => row);
}

export interface Column<Row> {
  /** The name of the column in the address, if the table is ordered by it. */
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The value by which the column is ordered; without it the table cannot be ordered by this column. */
  readonly sortBy?: (row: Row) => SortValue;
  /** `title`: the first line of a card on a phone; `number`: at the right; `wide`: long text; `actions`: buttons, at the end. */
  readonly kind?: 'title' | 'number' | 'wide' | 'actions';
}
