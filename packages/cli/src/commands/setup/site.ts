import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Client } from '@granary/client';
import type { Applied, SiteDocument } from '@granary/contract/site';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { confirm } from '../../program/environment.ts';
import {
  choice,
  given,
  readDocument,
  STANDARD_INPUT,
  withAccess,
  withExamples,
} from '../../program/options.ts';
import { timeOrAge, timestamp } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import { csvLine } from '../../terminal/table.ts';
import { printable } from '../../terminal/text.ts';

interface Values extends AccessValues {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const apply: Define = (command, environment) => {
  command
    .argument('<file>', `a document in YAML or JSON, or ${STANDARD_INPUT} for the standard input`)
    .description(
      'Creates and changes what a document of a site names, all of it or nothing. The differences are shown before anything is changed; what the document does not name stays as it is.',
    )
    .option('--dry-run', 'only show the differences')
    .option('-y, --yes', 'do not ask');
  withExamples(
    command,
    'granary export > site.yaml',
    'granary apply site.yaml --dry-run',
    'granary apply site.yaml --yes',
  );
  withAccess(command).action(async (file: string, values: Values) => {
    const { env } = environment;
    const document = (await readDocument(file, environment, 'granary export')) as SiteDocument;
    const { site } = accessClient(values, env);
    const output = outputOf(environment, values.json);
    const planned = await site.apply(document, { dry_run: 'true' }, asActor(env));
    if (values.dryRun === true || planned.created + planned.updated === 0) {
      return output.one(planned, () => differences(planned));
    }
    output.note(differences(planned));
    await confirm('Apply it?', values.yes, environment);
    const applied = await site.apply(document, {}, asActor(env));
    output.one(applied, () => [summary(applied), ...secretsOf(applied)].join('\n'));
  });
};

const differences = (planned: Applied): string =>
  [...planned.text.map(printable), summary(planned)].join('\n');

const summary = ({ dry_run, created, updated, unchanged }: Applied): string =>
  dry_run
    ? `To do: ${created} to create, ${updated} to change, ${unchanged} unchanged.`
    : `Done: ${created} created, ${updated} changed, ${unchanged} unchanged.`;

const secretsOf = ({ credentials, webhook_secrets }: Applied): string[] => {
  const lines = [
    ...credentials.map(({ username, secret }) => `${username}  ${secret}`),
    ...webhook_secrets.map(({ url, secret }) => `${url}  ${secret}`),
  ];
  return lines.length === 0 ? [] : ['', 'Secrets, shown this once:', ...lines];
};

interface SiteValues extends AccessValues {
  readonly facility?: string;
  readonly output?: string;
}

interface RowValues extends SiteValues {
  readonly device?: string;
  readonly sensor?: string;
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly unit?: 'kg' | 'percent';
  readonly interval?: '5m' | '1h' | '1d';
}

const OUTPUT = ['-o, --output <file>', 'write to this file instead of the standard output'] as const;

export const exportCommand: Define = (command, environment) => {
  defineSite(command.enablePositionalOptions(), environment);
  defineSite(command.command('site').summary('the configuration as one document'), environment);
  defineRows(
    command.command('readings').alias('data').summary('raw readings as CSV'),
    environment,
    'readings',
  );
  defineRows(command.command('history').summary('points of every sensor as CSV'), environment, 'history');
  withExamples(
    command,
    'granary export > site.yaml',
    'granary export readings --device silo-01 --since 24h -o readings.csv',
    'granary export history --interval 1d --since 30d --unit kg -o days.csv',
  );
};

function defineSite(command: Command, environment: Environment): void {
  command
    .description(
      'Writes devices, configurations, webhooks and notification rules as one document for granary apply: YAML, or JSON with --json.',
    )
    .option('--facility <name>', 'only the devices of this facility')
    .option(...OUTPUT);
  withAccess(command).action(async (values: SiteValues) => {
    const document = await accessClient(values, environment.env).site.export(
      given({ facility: values.facility }),
    );
    const text = values.json === true ? JSON.stringify(document, null, 2) : stringify(document).trimEnd();
    if (values.output === undefined) return environment.print(text);
    await writeLines(values.output, [text]);
    environment.printError(`${values.output} is written.`);
  });
}

function defineRows(command: Command, environment: Environment, kind: 'readings' | 'history'): void {
  command
    .option('--device <id>', 'only these devices, separated by commas')
    .option('--facility <name>', 'only those of this facility')
    .option('--sensor <name>', 'only these sensors, separated by commas')
    .option('--since <time>', 'the last 12h, 7d, …, or since a date such as 2026-11-15', timeOrAge)
    .option('--from <time>', 'ISO 8601 (a day ago)', timestamp)
    .option('--to <time>', 'ISO 8601 (now)', timestamp)
    .addOption(choice('--unit <unit>', 'of the contents of silos', ['kg', 'percent']))
    .option(...OUTPUT);
  if (kind === 'history')
    command.addOption(choice('--interval <interval>', 'one point for each', ['5m', '1h', '1d']));
  withAccess(command).action(async (values: RowValues) => {
    const { exports } = accessClient(values, environment.env);
    const lines = linesOf(rowsOf(exports, kind, values), values.json === true);
    if (values.output === undefined) {
      for await (const line of lines) {
        environment.print(line);
        await environment.taken();
      }
      return;
    }
    const count = await writeLines(values.output, lines);
    outputOf(environment, false).note(`${values.output} has ${count} lines.`);
  });
}

function rowsOf(
  exports: Client['exports'],
  kind: 'readings' | 'history',
  values: RowValues,
): AsyncIterable<object> {
  const { device, facility, sensor, to, unit, interval, since } = values;
  const query = given({ device_id: device, facility, sensor, from: since ?? values.from, to, unit });
  return kind === 'readings'
    ? exports.readings(query)
    : exports.history({ ...query, ...given({ interval }) });
}

async function* linesOf(rows: AsyncIterable<object>, isJson: boolean): AsyncGenerator<string> {
  let hasTitles = false;
  for await (const row of rows) {
    if (isJson) {
      yield JSON.stringify(row);
      continue;
    }
    if (!hasTitles) yield csvLine(Object.keys(row));
    hasTitles = true;
    yield csvLine(Object.values(row));
  }
}

/** Writes the lines and waits for the disk, so that a long export does not fill the memory. */
async function writeLines(file: string, lines: Iterable<string> | AsyncIterable<string>): Promise<number> {
  const stream = createWriteStream(file);
  await once(stream, 'open');
  let count = 0;
  for await (const line of lines) {
    count += 1;
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
  return count;
}
