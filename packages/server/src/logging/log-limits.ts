const LINE_CHARS_MAX = 8_000;
const VALUE_CHARS_MAX = 1_000;
const FIELDS_MAX = 20;
const LINES_PER_SECOND_MAX = 100;
const LINES_BURST_MAX = 500;

interface Budget {
  lines: number;
  filledAtMs: number;
  leftOut: number;
}

type Write = (line: string) => void;

/**
 * Limits the length of log lines and, for each level, their number per second, so that no caller and no device can fill the
 * disk. Suppressed lines are counted, and the count is logged.
 */
export function limitLines(write: Write, now: () => number): { write: Write } {
  const budgets = new Map<string, Budget>();
  return {
    write(line) {
      const level = line.slice(LEVEL_START.length, line.indexOf('"', LEVEL_START.length));
      const budget = refilled(budgets, level, now());
      if (budget.lines < 1) {
        budget.leftOut++;
        return;
      }
      budget.lines--;
      if (budget.leftOut > 0) write(leftOutLine(level, budget.leftOut, now()));
      budget.leftOut = 0;
      write(line.length <= LINE_CHARS_MAX ? line : shortened(line));
    },
  };
}

/** The beginning of each line of the logger. */
const LEVEL_START = '{"level":"';

function refilled(budgets: Map<string, Budget>, level: string, nowMs: number): Budget {
  const budget = budgets.get(level) ?? { lines: LINES_BURST_MAX, filledAtMs: nowMs, leftOut: 0 };
  const elapsedS = Math.max(0, nowMs - budget.filledAtMs) / 1_000;
  budget.lines = Math.min(LINES_BURST_MAX, budget.lines + elapsedS * LINES_PER_SECOND_MAX);
  budget.filledAtMs = nowMs;
  budgets.set(level, budget);
  return budget;
}

function leftOutLine(level: string, count: number, nowMs: number): string {
  const time = new Date(nowMs).toISOString();
  return `${JSON.stringify({ level, time, left_out: count, msg: 'lines of this level were left out' })}\n`;
}

function shortened(line: string): string {
  const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
  const kept = fields.filter(([name], index) => index < FIELDS_MAX || name === 'msg').map(shortField);
  return `${JSON.stringify({ ...Object.fromEntries(kept), is_shortened: true })}\n`;
}

function shortField([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value === 'object' && value !== null && name === 'err') {
    return [name, Object.fromEntries(Object.entries(value).slice(0, FIELDS_MAX).map(shortValue))];
  }
  return shortValue([name, value]);
}

function shortValue([name, value]: [string, unknown]): [string, unknown] {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined || text.length <= VALUE_CHARS_MAX
    ? [name, value]
    : [name, `${text.slice(0, VALUE_CHARS_MAX).toWellFormed()}…`];
}
