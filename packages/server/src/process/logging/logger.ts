import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../setting-values.ts';

const LINE_CHARS_MAX = 8_000;
const VALUE_CHARS_MAX = 1_000;
const FIELDS_MAX = 20;
const LINES_PER_SECOND_MAX = 100;
const LINES_BURST_MAX = 500;
/** The beginning of each line of the logger. */
const LEVEL_START = '{"level":"';
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

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

/** The access log has no limit on the number of lines, because every request gets a line and the operator has asked for the log. */
export function createAccessLog(format: LogFormat): Logger {
  const isReadable = isReadableFormat(format);
  return createLogger('info', isReadable, { write: isReadable ? writePretty : standardOutput() });
}

/** The lines are written synchronously, so that the last ones before a crash are not lost. */
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

/** The trace id of a W3C `traceparent` header; `undefined` for any other text. */
export function traceIdOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined;
}

/** Writes one line for each answered request. The query is left out, because callers put names and texts into it. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        trace_id: traceIdOf(request.headers['traceparent']),
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        key_id: keyIdOf(request),
        address: request.address,
      },
      'request',
    );
  });
}

/** The id of the key; `undefined` for a route without a key and for a request whose key is not known. */
const keyIdOf = ({ caller }: Partial<FastifyRequest>): string | undefined => caller?.keyId;
