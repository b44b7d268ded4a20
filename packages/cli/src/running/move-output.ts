import type { MovePlan, MoveStep } from '@granary/server/process/open-move';
import type { Environment } from '../frame/environment.ts';
import { progressBar } from '../terminal/progress.ts';

const BYTES_PER_MEGABYTE = 1_000_000;
const SHOWN_EVERY_MS = 200;

export const whole = (count: number): string => count.toLocaleString('en-US');

const ACTIONS: Readonly<Record<MovePlan['action'], string>> = {
  begin: 'is empty',
  resume: 'has a part of this copy already, which goes on where it stopped',
  begin_again: 'has a part of an earlier copy, which begins again because the store has changed since',
};

/** What will be copied, for a person who has to agree. */
export function describePlan({ from, to, bytes, rows, tables, action, rowsCopied }: MovePlan): string {
  const filled = tables.filter((table) => table.rows > 0);
  const nameWidth = Math.max(0, ...filled.map(({ name }) => name.length));
  const countWidth = Math.max(0, ...filled.map((table) => whole(table.rows).length));
  return [
    `${from} (${(bytes / BYTES_PER_MEGABYTE).toFixed(1)} MB) has ${whole(rows)} rows:`,
    ...filled.map((table) => `  ${table.name.padEnd(nameWidth)}  ${whole(table.rows).padStart(countWidth)}`),
    `The database ${to} ${ACTIONS[action]}.`,
    ...(rowsCopied === 0 ? [] : [`${whole(rowsCopied)} rows are copied already.`]),
  ].join('\n');
}

/** Shows how far it is as a bar on a terminal. Copying is the first half, comparing the second one. */
export function moveProgress({
  showProgress,
  terminal,
}: Pick<Environment, 'showProgress' | 'terminal'>): (step: MoveStep) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return ({ phase, table, rowsDone, rows }) => {
    const nowMs = performance.now();
    if (nowMs - shownMs < SHOWN_EVERY_MS) return;
    shownMs = nowMs;
    const share = rows === 0 ? 0 : rowsDone / rows;
    const total = phase === 'copying' ? share / 2 : (1 + share) / 2;
    const words = `${Math.floor(total * 100)} % ${phase} ${table}, ${whole(rowsDone)} of ${whole(rows)} rows`;
    showProgress?.(progressBar(total, words, terminal));
  };
}
