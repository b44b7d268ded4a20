import { texts } from '../../texts/texts.ts';
import type { Column } from './table-column.ts';
import { type Order, orderAfterPress, orderText, parseOrder } from './table-order.ts';

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  readonly order: Order | null;
  readonly onOrder: (order: Order | null) => void;
}

export function TableHead<Row>({ columns, order, onOrder }: Props<Row>) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, title, sortBy, kind }) => (
          <th
            key={name}
            class={kind}
            scope="col"
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

/** On a phone there is no head, so that the order is chosen from a list. */
export function TableSortSelect<Row>({ columns, order, onOrder }: Props<Row>) {
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
