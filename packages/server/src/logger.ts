import { type Logger, pino } from 'pino';
import type { LogLevel } from './settings.ts';

export type { Logger } from 'pino';

/** JSON lines, except to a person at a terminal. */
export function createLogger(level: LogLevel, terminal: boolean = process.stdout.isTTY === true): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return terminal ? pino(options, { write: writePretty }) : pino(options);
}

function writePretty(line: string): void {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const context = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const fault = err?.stack ?? err?.message;
  const text = [time.slice(11, 19), level.toUpperCase().padEnd(5), msg, ...context].join(' ');
  process.stdout.write(fault === undefined ? `${text}\n` : `${text}\n  ${fault}\n`);
}
