import type { Environment } from '../program/environment.ts';
import { type Column, table } from './table.ts';
import { type Paint, painter, printable, wrap } from './text.ts';

/** The label of a field, and its text; a field without a text is not shown. */
export type Field = readonly [label: string, text: string | null | undefined];

/** How commands show their results: as text for a person, or as JSON for a program. */
export interface Output {
  readonly isJson: boolean;
  readonly paint: Paint;
  /** A list: a table, or one JSON array. */
  list<Item>(columns: readonly Column<Item>[], items: readonly Item[], whenEmpty: string): void;
  /** Says that a list is not complete; a program is told, too. */
  more(hint: string): void;
  /** One result: text, or one JSON document. */
  one(value: unknown, text: () => string): void;
  /** One item of a stream: a line of text, or one line of JSON. */
  item(value: unknown, text: () => string): void;
  /** Labels and their texts, fitted to the width of the terminal. */
  fields(fields: readonly Field[]): string;
  /** A text for a person beside the result, which JSON leaves out. */
  note(text: string): void;
}

export function outputOf(environment: Environment, isJson: boolean | undefined): Output {
  const { print, terminal } = environment;
  return {
    isJson: isJson === true,
    paint: painter(terminal.hasColour),
    list: (columns, items, whenEmpty) => {
      if (isJson === true) return print(JSON.stringify(items, null, 2));
      print(items.length === 0 ? whenEmpty : table(columns, items, terminal));
    },
    more: (hint) => environment.printError(`granary: there are more; ${hint}`),
    one: (value, text) => print(isJson === true ? JSON.stringify(value, null, 2) : text()),
    item: (value, text) => print(isJson === true ? JSON.stringify(value) : text()),
    fields: (fields) => fieldLines(fields, terminal.columns),
    note: (text) => {
      if (isJson !== true) print(text);
    },
  };
}

function fieldLines(fields: readonly Field[], columns: number | null): string {
  const shown = fields.flatMap(([label, text]) =>
    text === null || text === undefined ? [] : [{ label, text }],
  );
  const labelWidth = Math.max(0, ...shown.map(({ label }) => label.length));
  const valueWidth = columns === null ? Number.POSITIVE_INFINITY : Math.max(8, columns - labelWidth - 2);
  return shown
    .flatMap(({ label, text }) =>
      wrap(printable(text), valueWidth).map((part, line) =>
        `${(line === 0 ? label : '').padEnd(labelWidth)}  ${part}`.trimEnd(),
      ),
    )
    .join('\n');
}
