import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import type { Environment } from './environment.ts';
import { UsageError } from './explain.ts';

export const JSON_OPTION = '--json';
export const STANDARD_INPUT = '-';

/** Adds the option of every command that prints records. */
export const withJson = (command: Command): Command =>
  command.option(JSON_OPTION, 'print JSON instead of a table');

/** Adds the options of every command that connects to a running service. */
export const withAccess = (command: Command): Command =>
  withJson(
    command
      .addOption(new Option('--context <name>', 'a service that granary login has stored').conflicts('url'))
      .option('--url <address>', 'where the service answers'),
  );

/** Adds examples, which are shown after the options of `--help`. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);

/** The values of an option that may be repeated. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** Reads a number above zero, for `argParser`. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export const choice = (flags: string, description: string, values: readonly string[]): Option =>
  new Option(flags, description).choices(values);

export function address(text: string, name: string, protocols: readonly string[]): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocols.includes(protocol)) return text;
  throw new UsageError(`${name} must be an address such as ${protocols[0]}//127.0.0.1, not "${text}"`);
}

/** The values without the fields that are not given. */
export const given = <Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };

/** Reads an object from a file, or from the standard input for `-`, as YAML or JSON. `example` is the command that shows a valid one. */
export async function readDocument(
  file: string,
  { readInput }: Environment,
  example?: string,
): Promise<object> {
  const text = file === STANDARD_INPUT ? await readInput() : textOf(file);
  try {
    const document: unknown = parse(text, { strict: true, maxAliasCount: 0 });
    if (typeof document === 'object' && document !== null) return document;
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    // The lines after the colon show the place, which the first line names.
    throw new UsageError(`${file} is neither YAML nor JSON: ${reason.replace(/:$/, '')}`, { cause });
  }
  throw new UsageError(
    `${file} has no document`,
    example === undefined ? {} : { cure: `\`${example}\` shows how one looks.` },
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read`, { cause });
  }
}
