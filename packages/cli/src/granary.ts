#!/usr/bin/env node
import { explain } from './explain.ts';
import { main } from './main.ts';

const environment = {
  env: process.env,
  print: (line: string) => console.log(line),
  printError: (line: string) => console.error(line),
};

process.on('uncaughtException', (failure) => {
  const { lines } = explain(failure, process.env['GRANARY_LOG_LEVEL'] === 'debug');
  for (const line of lines) environment.printError(line);
  process.exit(1);
});

process.exitCode = await main(process.argv.slice(2), environment);
