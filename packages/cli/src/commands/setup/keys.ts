import { type IssuedKey, type KeyRecord, SCOPES, type Scope } from '@granary/contract/keys';
import type { Command } from 'commander';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { collect, wholeNumber, withAccess, withExamples } from '../../program/options.ts';
import { age } from '../../program/times.ts';
import { outputOf } from '../../terminal/output.ts';
import type { Column } from '../../terminal/table.ts';

interface NewKeyValues extends AccessValues {
  readonly name: string;
  readonly scope: readonly string[];
  readonly facility?: readonly string[];
  readonly device?: readonly string[];
  readonly expires?: string;
}

const COLUMNS: readonly Column<KeyRecord>[] = [
  { title: 'KEY', text: ({ key_id }) => key_id },
  { title: 'NAME', text: ({ name }) => name },
  { title: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
  { title: 'LAST USED', text: ({ last_used_at }) => age(last_used_at) },
  {
    title: 'ENDS',
    text: ({ revoked_at, expires_at }) =>
      revoked_at === null ? (expires_at ?? 'never') : `revoked ${revoked_at}`,
    tone: ({ revoked_at }) => (revoked_at === null ? undefined : 'faint'),
  },
];

export const keys: Define = (command, environment) => {
  command.description('Lists, issues, revokes and rotates API keys. It takes a key with the scope admin.');
  defineList(command.command('list').summary('list the keys, without the keys themselves'), environment);
  defineCreate(command.command('create').summary('issue a key'), environment);
  defineRevoke(command.command('revoke').summary('end a key at once'), environment);
  defineRotate(command.command('rotate').summary('issue the successor of a key'), environment);
  withExamples(
    command,
    'granary keys list',
    'granary keys create --name "display in the office" --scope read',
    'granary keys rotate key_0f3c --overlap 3600',
  );
};

function defineList(command: Command, environment: Environment): void {
  withAccess(command).action(async (values: AccessValues) => {
    const records = await Array.fromAsync(accessClient(values, environment.env).keys.listAll());
    outputOf(environment, values.json).list(COLUMNS, records, 'There are no keys.');
  });
}

function defineCreate(command: Command, environment: Environment): void {
  command
    .requiredOption('--name <text>', 'what the key is for')
    .requiredOption('--scope <scope>', `one of ${SCOPES.join(', ')}; may be repeated`, collect)
    .option('--facility <name>', 'the key sees only this facility; may be repeated', collect)
    .option('--device <id>', 'the key sees only this device; may be repeated', collect)
    .option('--expires <time>', 'ISO 8601, e.g. 2027-01-31T00:00:00Z');
  withAccess(command).action(async (values: NewKeyValues) => {
    const { name, scope, facility, device, expires } = values;
    const wanted = {
      name,
      scopes: scope.map(asScope),
      ...(facility === undefined ? {} : { facilities: [...facility] }),
      ...(device === undefined ? {} : { device_ids: [...device] }),
      ...(expires === undefined ? {} : { expires_at: expires }),
    };
    const { env } = environment;
    showOnce(await accessClient(values, env).keys.create(wanted, asActor(env)), values, environment);
  });
}

function defineRevoke(command: Command, environment: Environment): void {
  withAccess(command.argument('<key_id>')).action(async (keyId: string, values: AccessValues) => {
    const { env } = environment;
    const record = await accessClient(values, env).keys.revoke(keyId, asActor(env));
    const text = () => `${record.key_id} (${record.name}) is revoked.`;
    outputOf(environment, values.json).one(record, text);
  });
}

function defineRotate(command: Command, environment: Environment): void {
  command
    .argument('<key_id>')
    .option('--overlap <seconds>', 'how long the old key goes on working (3600)', wholeNumber);
  withAccess(command).action(async (keyId: string, values: AccessValues & { readonly overlap?: number }) => {
    const { env } = environment;
    const rotation = values.overlap === undefined ? {} : { overlap_seconds: values.overlap };
    showOnce(await accessClient(values, env).keys.rotate(keyId, rotation, asActor(env)), values, environment);
  });
}

function showOnce(issued: IssuedKey, { json }: AccessValues, environment: Environment): void {
  const text = () => `${issued.key}\n\nThis is ${issued.key_id}. The key is shown this once; keep it safe.`;
  outputOf(environment, json).one(issued, text);
}

function asScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined)
    throw new UsageError(`--scope: there is no "${text}"; there are ${SCOPES.join(', ')}`);
  return scope;
}
