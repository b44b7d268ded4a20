import './table.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { locale, texts } from '../texts.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Time } from './measured.tsx';
import { Failure, Notice } from './messages.tsx';
import { set } from './set.ts';
import { type Column, type Order, orderAfterPress, ordered, orderText, parseOrder } from './table-order.ts';
import type { Pages } from './use-loaded.ts';

/** The height of the lowest row. The rows that fit into the window are drawn first and the others in parts, so that the page stays responsive. */
const ROW_PX = 32;
const ROWS_PER_PART = 40;
const PART_AFTER_MS = 30;
const ROWS_AT_ONCE = 200;

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** The rows in the order that is used until a head is pressed. */
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Called when Enter is pressed on a row. */
  readonly onOpen?: (row: Row) => void;
  /** The name of the order in the address, where a view has several tables. */
  readonly orderName?: string;
}

/** A dense table whose rows are cards on a phone. Its order is in the address, and the arrow keys go from row to row. */
export function Table<Row>({ label, columns, rows, idOf, onOpen, orderName = 'order' }: Props<Row>) {
  const { navigation } = useConsole();
  const { table } = texts.value;
  const limit = useSignal(ROWS_AT_ONCE);
  const drawn = useSignal(Math.ceil(innerHeight / ROW_PX));
  const current = useSignal<string | null>(null);
  const order = parseOrder(navigation.route.value.query.get(orderName));
  const sortBy = columns.find(({ name }) => name === order?.column)?.sortBy;
  const all =
    order === null || sortBy === undefined ? rows : ordered(rows, sortBy, order.isDescending, locale.value);
  const shown = all.slice(0, Math.min(limit.value, drawn.value));
  useEffect(() => {
    if (shown.length < drawn.value || drawn.value >= limit.value) return;
    const timer = setTimeout(() => {
      drawn.value += ROWS_PER_PART;
    }, PART_AFTER_MS);
    return () => clearTimeout(timer);
  }, [shown.length, drawn.value, limit.value]);
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
                onFocusIn={() => set(current, id)}
              >
                {columns.map(({ name, title, cell, kind }) => (
                  <td key={name} class={kind} data-title={title} data-column={name}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      {all.length > limit.value && (
        <p class="table-more">
          <Button
            onPress={() => {
              limit.value += ROWS_AT_ONCE;
            }}
          >
            {table.showMore({ shown: limit.value, all: all.length })}
          </Button>
        </p>
      )}
    </>
  );
}

interface TableHeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly order: Order | null;
  readonly onOrder: (order: Order | null) => void;
}

function TableHead<Row>({ columns, order, onOrder }: TableHeadProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, title, sortBy, kind }) => (
          <th
            key={name}
            class={kind}
            scope="col"
            data-column={name}
            aria-sort={order?.column === name ? sortWord(order) : undefined}
          >
            {sortBy === undefined ? (
              <span class={kind === 'actions' ? 'only-for-readers' : ''}>{title}</span>
            ) : (
              <button type="button" onClick={() => onOrder(orderAfterPress(order, name))}>
                {title}
                <span class="order-sign" aria-hidden="true">
                  {order?.column === name && (order.isDescending ? '▼' : '▲')}
                </span>
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const sortWord = ({ isDescending }: Order): 'ascending' | 'descending' =>
  isDescending ? 'descending' : 'ascending';

/** On a phone the table has no head, so the order is chosen from a list. */
function TableSortSelect<Row>({ columns, order, onOrder }: TableHeadProps<Row>) {
  const { table } = texts.value;
  const sortable = columns.filter(({ sortBy }) => sortBy !== undefined);
  if (sortable.length === 0) return null;
  return (
    <label class="table-order">
      {table.orderBy}
      <select
        value={order === null ? '' : orderText(order)}
        onChange={({ currentTarget }) => onOrder(parseOrder(currentTarget.value))}
      >
        <option value="">{table.usualOrder}</option>
        {sortable.flatMap(({ name, title }) => [
          <option key={name} value={name}>{`${title} ▲`}</option>,
          <option key={`-${name}`} value={`-${name}`}>{`${title} ▼`}</option>,
        ])}
      </select>
    </label>
  );
}

/** The row to which a key leads from the row that has the focus, or from a control in it. */
function targetRow(event: KeyboardEvent): HTMLTableRowElement | undefined {
  if (!(event.target instanceof Element) || event.target.matches('input, select, textarea')) return undefined;
  const row = event.target.closest('tr');
  if (row === null) return undefined;
  const rows = [...(row.parentElement?.children ?? [])];
  const from = rows.indexOf(row);
  const steps: Readonly<Record<string, number>> = {
    ArrowUp: from - 1,
    ArrowDown: from + 1,
    Home: 0,
    End: rows.length - 1,
  };
  const step = steps[event.key];
  const target = step === undefined ? undefined : rows[step];
  return target instanceof HTMLTableRowElement ? target : undefined;
}

interface PageListProps<Item> {
  readonly pages: Pages<Item>;
  /** The text of an empty list. */
  readonly empty?: string;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

/** Shows a list with its states: loading, failed, empty, and a button that loads more. */
export function PageList<Item>({ pages, empty, children }: PageListProps<Item>) {
  const { table, shell, common } = texts.value;
  const { items, failure, hasMore, isLoading } = pages;
  const again = failure !== null && (
    <div class="page-list-failure">
      <Failure of={failure} />
      <Button onPress={pages.reload}>{common.retry}</Button>
    </div>
  );
  if (items === undefined) return again === false ? <Notice>{shell.loading}</Notice> : again;
  return (
    <>
      {again}
      {items.length === 0 ? <EmptyState drawing="quiet" title={empty ?? table.nothing} /> : children(items)}
      {hasMore && (
        <p class="table-more">
          <Button isBusy={isLoading} onPress={pages.more}>
            {table.loadMore}
          </Button>
        </p>
      )}
    </>
  );
}

/** A column; `how` says by what it is ordered and how it is drawn. */
export const column = <Row,>(
  name: string,
  title: string,
  how: Pick<Column<Row>, 'sortBy' | 'kind'>,
  cell: Column<Row>['cell'],
): Column<Row> => ({ name, title, ...how, cell });

/** A column that shows a text and is ordered by it. */
export const textColumn = <Row,>(name: string, title: string, textOf: (row: Row) => string | null) =>
  column<Row>(name, title, { sortBy: textOf }, (row) => <span class="free-text">{textOf(row)}</span>);

/** A column with the title of a row, which is the first line of a card on a phone. */
export const titleColumn = <Row,>(name: string, title: string, textOf: (row: Row) => string) =>
  column<Row>(name, title, { kind: 'title', sortBy: textOf }, (row) => (
    <strong class="free-text">{textOf(row)}</strong>
  ));

export const timeColumn = <Row,>(name: string, title: string, timeOf: (row: Row) => string) =>
  column<Row>(name, title, { sortBy: timeOf }, (row) => <Time at={timeOf(row)} />);
