/** The row to which a key leads from the row that has the focus, or from a control in it. */
export function targetRow(event: KeyboardEvent): HTMLTableRowElement | undefined {
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
