#!/usr/bin/env node
import { explain, explanationLines } from './frame/explain.ts';
import { EXIT } from './frame/failures.ts';
import { main } from './main.ts';
import { processEnvironment } from './terminal/process-environment.ts';

const environment = processEnvironment(process);

process.on('uncaughtException', (failure) => {
  const showsStack = process.env['GRANARY_LOG_LEVEL'] === 'debug';
  const lines = showsStack ? [`granary: ${failure.stack}`] : explanationLines(explain(failure));
  for (const line of lines) environment.printError(line);
  process.exit(EXIT.failed);
});

process.exitCode = await main(process.argv.slice(2), environment);
