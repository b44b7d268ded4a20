import type { ComponentChildren } from 'preact';
import type { SortValue } from './table-order.ts';

export interface Column<Row> {
  /** Its name in the address, where the table is ordered by it. */
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** A column without it cannot be ordered by. */
  readonly sortBy?: (row: Row) => SortValue;
  /** `title`: the first line of a card on a phone; `number`: at the right; `wide`: long text; `actions`: buttons, at the end. */
  readonly kind?: 'title' | 'number' | 'wide' | 'actions';
}
