import type { Applied } from '@granary/contract/site/apply';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { asActor } from '../../access/actor.ts';
import { type AccessValues, accessClient } from '../../access/service-access.ts';
import { confirm } from '../../frame/ask.ts';
import type { Define } from '../../frame/environment.ts';
import { readDocument, STANDARD_INPUT, withAccess, withExamples } from '../../frame/options.ts';
import { outputOf } from '../../terminal/output.ts';
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
