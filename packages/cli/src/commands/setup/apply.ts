import { readFileSync } from 'node:fs';
import type { Applied } from '@granary/contract/site/apply';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { parse } from 'yaml';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/define.ts';
import type { Environment } from '../../frame/environment.ts';
import { UsageError } from '../../frame/failures.ts';
import { withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../frame/output.ts';
import { printable } from '../../terminal/text.ts';

interface Values extends AccessValues {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const STANDARD_INPUT = '-';

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
    const document = documentOf(await textOf(file, environment), file);
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

async function textOf(file: string, { readInput }: Environment): Promise<string> {
  if (file === STANDARD_INPUT) return await readInput();
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read`, { cause });
  }
}

function documentOf(text: string, file: string): SiteDocument {
  try {
    const document: unknown = parse(text, { strict: true, maxAliasCount: 0 });
    if (typeof document === 'object' && document !== null) return document as SiteDocument;
  } catch (cause) {
    const [reason = ''] = cause instanceof Error ? cause.message.split('\n') : [];
    throw new UsageError(`${file} is neither YAML nor JSON: ${reason}`, { cause });
  }
  throw new UsageError(`${file} is not a document of a site`, {
    cure: '`granary export` shows how one looks.',
  });
}

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
