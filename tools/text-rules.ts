import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryFiles } from './repository-files.ts';

interface TextRule {
  readonly appliesTo: RegExp;
  readonly forbids: RegExp;
  readonly reason: string;
}

/** Rules that the linter cannot check, because they concern text, file names, or comments that disable the linter. */
const TEXT_RULES: readonly TextRule[] = [
  {
    appliesTo: /\.(tsx?|mjs)$/,
    forbids: /@ts-(ignore|nocheck)/,
    reason: 'a type error is repaired, not silenced',
  },
  {
    appliesTo: /\.(tsx?|mjs)$/,
    forbids:
      /biome-ignore(-\w+)? lint\/(suspicious\/(noExplicitAny|noFocusedTests|noSkippedTests)|style\/noDefaultExport)/,
    reason: 'this rule has no exceptions',
  },
  {
    appliesTo: /\.test\.ts$/,
    forbids: /\b(test|it|describe|suite|t)\.(only|skip|todo)\b|\b(only|skip|todo): (true\b|['"`])/,
    reason: 'every test runs, always',
  },
  {
    appliesTo: /\.(tsx?|mjs)$/,
    forbids: /\.\.\.(\{|\(\[|\[(?!\.\.\.)(?!.*\]\.))/,
    reason: 'fields and elements are written plainly; a literal is not spread into another one',
  },
  {
    appliesTo: /./,
    forbids: /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i,
    reason: 'which package registry is used is the business of each machine',
  },
  {
    appliesTo: /(^|\/)package-lock\.json$/,
    forbids: /"resolved": "https?:/,
    reason: 'the lock file names no registry (omit-lockfile-registry-resolved=true)',
  },
  {
    appliesTo: /^packages\/(?!common\/src\/time-(text|zone)\.ts$).*(?<!\.test)\.tsx?$/,
    forbids: /\bDateTimeFormat\b|\.toLocale(Date|Time)String\(|\bDate\(.*\)\.toLocaleString\(/,
    reason: 'times for people are formatted by common/src/time-text.ts, so that all show the same clock',
  },
  {
    appliesTo: /^packages\/console\/src\/(?!kit\/time-input\.tsx$).*\.tsx?$/,
    forbids:
      /\btype(=|: )\{?['"](number|range|date|time|datetime-local|month|week)['"]|\bvalueAs(Number|Date)\b/,
    reason:
      'the browser reads and writes such a field in its own language, not in that of the page: NumberInput and TimeInput do not',
  },
  {
    appliesTo: /\.css$/,
    forbids: /:has\(/,
    reason:
      'a class says the same; the browser computes the styles of all elements below again at every change',
  },
  { appliesTo: /./, forbids: /\r|[ \t]$/, reason: 'lines end in a line feed, without trailing space' },
];

const CODE_FILE = /^(packages|lab|tools|examples)\/.*\.(tsx?|mjs|css)$/;
const KEBAB_CASE_PATH = /^[a-z0-9]+([-.][a-z0-9]+)*(\/[a-z0-9]+([-.][a-z0-9]+)*)*$/;

/** Returns one line for every broken rule of one file. */
export function textFaultsOf(path: string, text: string): string[] {
  const lines = text.split('\n');
  const faults: string[] = [];
  if (text !== '' && lines.pop() !== '') faults.push(`${path} does not end in a line feed`);
  if (CODE_FILE.test(path) && !KEBAB_CASE_PATH.test(path)) faults.push(`${path} is not in kebab-case`);
  for (const { forbids, reason } of TEXT_RULES.filter(({ appliesTo }) => appliesTo.test(path))) {
    for (const [index, line] of lines.entries()) {
      if (forbids.test(line)) faults.push(`${path}:${index + 1} ${reason}`);
    }
  }
  return faults;
}

export async function textFaults(root: string): Promise<string[]> {
  const faults = await Promise.all(
    repositoryFiles(root).map(async (path) => {
      const content = await readFile(join(root, path));
      const isBinary = content.includes(0);
      return isBinary ? [] : textFaultsOf(path, content.toString('utf8'));
    }),
  );
  return faults.flat();
}
