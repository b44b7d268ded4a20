#!/usr/bin/env node
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { main } from './main.ts';
import type { Environment, TerminalTraits } from './program/environment.ts';
import { EXIT, explain, explanationLines } from './program/explain.ts';
import { personAt, progressLine } from './terminal/progress.ts';
import { toAscii } from './terminal/text.ts';

type Env = Environment['env'];

/** The parts of this process that commands may use. */
function processEnvironment({ env, stdin, stdout, stderr }: NodeJS.Process): Environment {
  const terminal = traitsOf(env, stdout);
  const progress = progressLine(stderr);
  const shown = (line: string, isTerminal: boolean): string =>
    isTerminal && !terminal.isUtf8 ? toAscii(line) : line;
  let survives = false;
  const onClosed = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    if (!survives) process.exit(EXIT.done);
  };
  for (const stream of [stdout, stderr]) stream.on('error', onClosed);
  return {
    env,
    terminal,
    print: (line) => progress.above(() => stdout.write(`${shown(line, stdout.isTTY)}\n`)),
    taken: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    printError: (line) => progress.above(() => stderr.write(`${shown(line, stderr.isTTY)}\n`)),
    showProgress: (text) => progress.show(shown(text, stderr.isTTY)),
    ...(stdin.isTTY && stderr.isTTY ? { person: personAt({ input: stdin, output: stderr }) } : {}),
    readInput: () => readText(stdin),
    surviveClosedOutput: () => {
      survives = true;
    },
  };
}

function traitsOf(env: Env, output: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): TerminalTraits {
  const isTerminal = output.isTTY === true;
  return {
    columns: isTerminal && output.columns > 0 ? output.columns : null,
    hasColour: isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    isUtf8: isUtf8(env),
  };
}

/** Whether the terminal shows UTF-8: the first of these variables that is set decides, as POSIX says. Windows always does. */
function isUtf8(env: Env): boolean {
  if (process.platform === 'win32') return true;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (name) => name !== undefined && name !== '',
  );
  return /utf-?8/i.test(locale ?? '');
}

const environment = processEnvironment(process);

process.on('uncaughtException', (failure) => {
  const showsStack = process.env['GRANARY_LOG_LEVEL'] === 'debug';
  const lines = showsStack ? [`granary: ${failure.stack}`] : explanationLines(explain(failure));
  for (const line of lines) environment.printError(line);
  process.exit(EXIT.failed);
});

process.exitCode = await main(process.argv.slice(2), environment);
