import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Environment } from './environment.ts';
import { UsageError } from './failures.ts';

export const STANDARD_INPUT = '-';

/** The object in a file, or in the standard input for `-`, as YAML or JSON. `example` is the command that shows how one looks. */
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
    // The lines after the colon show the place, which the first one names.
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
