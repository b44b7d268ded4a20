import { type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../setting-values.ts';
import { limitLines } from './log-limits.ts';

export type { Logger } from 'pino';

/** JSON lines, or readable lines. */
export function createLogger(
  level: LogLevel,
  isReadable: boolean = process.stdout.isTTY === true,
  destination = limitLines(isReadable ? writePretty : standardOutput(), Date.now),
): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}

/** `auto`: readable on a terminal, JSON otherwise. */
export const isReadableFormat = (format: LogFormat): boolean =>
  format === 'text' || (format === 'auto' && process.stdout.isTTY === true);

/** Without a limit on the number of lines, because every request has one and the operator has asked for it. */
export function createAccessLog(format: LogFormat): Logger {
  const isReadable = isReadableFormat(format);
  return createLogger('info', isReadable, { write: isReadable ? writePretty : standardOutput() });
}

/** Written synchronously, so that the last lines before a crash are not lost. */
function standardOutput(): (line: string) => void {
  const output = pino.destination({ dest: process.stdout.fd, sync: true });
  return (line) => void output.write(line);
}

function writePretty(line: string): void {
  const { level, time, msg, err, ...rest } = JSON.parse(line);
  const context = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const fault = err?.stack ?? err?.message;
  const text = [time.slice(11, 19), level.toUpperCase().padEnd(5), msg, ...context].join(' ');
  process.stdout.write(fault === undefined ? `${text}\n` : `${text}\n  ${fault}\n`);
}
