import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { useConsole } from '../../console.ts';
import { locale, texts } from '../../texts/texts.ts';
import { Button } from '../button.tsx';
import type { Column } from './table-column.ts';
import { TableHead, TableSortSelect } from './table-head.tsx';
import { targetRow } from './table-keys.ts';
import { ordered, orderText, parseOrder } from './table-order.ts';
import './table.css';

const ROWS_AT_ONCE = 200;

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** In the order that holds while no head was pressed. */
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** What the key Enter does on a row. */
  readonly onOpen?: (row: Row) => void;
  /** The name of the order in the address, where a view has several tables. */
  readonly orderName?: string;
}

/** A dense table whose rows are cards on a phone. Its order is in the address, and the arrow keys go from row to row. */
export function Table<Row>({ label, columns, rows, idOf, onOpen, orderName = 'order' }: Props<Row>) {
  const { navigation } = useConsole();
  const { table } = texts.value;
  const limit = useSignal(ROWS_AT_ONCE);
  const current = useSignal<string | null>(null);
  const order = parseOrder(navigation.route.value.query.get(orderName));
  const sortBy = columns.find(({ name }) => name === order?.column)?.sortBy;
  const all =
    order === null || sortBy === undefined ? rows : ordered(rows, sortBy, order.isDescending, locale.value);
  const shown = all.slice(0, limit.value);
  const reachable = shown.some((row) => idOf(row) === current.value) ? current.value : null;

  function onKeyDown(event: TargetedKeyboardEvent<HTMLTableSectionElement>): void {
    if (event.key === 'Enter' && event.target instanceof HTMLTableRowElement) {
      const row = shown[event.target.sectionRowIndex];
      if (row !== undefined) onOpen?.(row);
      return;
    }
    const next = targetRow(event);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  const heads = {
    columns,
    order,
    onOrder: (next: typeof order) =>
      navigation.filter({ [orderName]: next === null ? undefined : orderText(next) }),
  };
  return (
    <>
      <TableSortSelect {...heads} />
      <table class="table" aria-label={label}>
        <TableHead {...heads} />
        <tbody onKeyDown={onKeyDown}>
          {shown.map((row, index) => {
            const id = idOf(row);
            return (
              <tr
                key={id}
                tabIndex={id === reachable || (reachable === null && index === 0) ? 0 : -1}
                onFocusIn={() => {
                  current.value = id;
                }}
              >
                {columns.map(({ name, title, cell, kind }) => (
                  <td key={name} class={kind} data-title={title}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {all.length > shown.length && (
        <p class="table-more">
          <Button
            onPress={() => {
              limit.value += ROWS_AT_ONCE;
            }}
          >
            {table.showMore(shown.length, all.length)}
          </Button>
        </p>
      )}
    </>
  );
}
