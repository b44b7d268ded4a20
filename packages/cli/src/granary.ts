#!/usr/bin/env node
import { explain } from './explain.ts';
import { main } from './main.ts';
import { progressLine } from './progress-line.ts';

const progress = progressLine(process.stderr);
const environment = {
  env: process.env,
  print: (line: string) => progress.above(() => console.log(line)),
  printError: (line: string) => progress.above(() => console.error(line)),
  showProgress: (text: string) => progress.show(text),
};

process.on('uncaughtException', (failure) => {
  const { lines } = explain(failure, process.env['GRANARY_LOG_LEVEL'] === 'debug');
  for (const line of lines) environment.printError(line);
  process.exit(1);
});

process.exitCode = await main(process.argv.slice(2), environment);
