import type { IssuedKey } from '@granary/contract/keys';
import { SCOPES, type Scope } from '@granary/contract/keys';
import { type Action, runAction } from '../actions.ts';
import { type Command, parseOptions, required, UsageError } from '../command.ts';
import { ACCESS_HELP, ACCESS_OPTIONS, accessClient } from '../service-access.ts';
import { table } from '../table.ts';

const list: Action = async (args, { env, print }) => {
  const { values } = parseOptions({ args, options: ACCESS_OPTIONS });
  const rows: string[][] = [];
  for await (const key of accessClient(values.url, env).keys.listAll()) {
    const ends = key.revoked_at === null ? (key.expires_at ?? 'never') : `revoked ${key.revoked_at}`;
    rows.push([key.key_id, key.name, key.scopes.join(','), key.last_used_at ?? 'never', ends]);
  }
  print(table(['KEY', 'NAME', 'SCOPES', 'LAST USED', 'ENDS'], rows));
};

const create: Action = async (args, { env, print }) => {
  const { values } = parseOptions({
    args,
    options: {
      ...ACCESS_OPTIONS,
      name: { type: 'string' },
      scope: { type: 'string', multiple: true, default: [] },
      facility: { type: 'string', multiple: true },
      device: { type: 'string', multiple: true },
      expires: { type: 'string' },
    },
  });
  const { facility, device, expires } = values;
  if (values.scope.length === 0) throw new UsageError(`--scope is missing; there are ${SCOPES.join(', ')}`);
  const wanted = {
    name: required(values.name, '--name'),
    scopes: values.scope.map(asScope),
    ...(facility === undefined ? {} : { facilities: facility }),
    ...(device === undefined ? {} : { device_ids: device }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
  showOnce(await accessClient(values.url, env).keys.create(wanted), print);
};

const revoke: Action = async (args, { env, print }) => {
  const { values, positionals } = parseOptions({ args, options: ACCESS_OPTIONS, allowPositionals: true });
  const { key_id, name } = await accessClient(values.url, env).keys.revoke(onlyKeyId(positionals));
  print(`${key_id} (${name}) is revoked.`);
};

const rotate: Action = async (args, { env, print }) => {
  const { values, positionals } = parseOptions({
    args,
    options: { ...ACCESS_OPTIONS, overlap: { type: 'string' } },
    allowPositionals: true,
  });
  const rotation = values.overlap === undefined ? {} : { overlap_seconds: Number(values.overlap) };
  showOnce(await accessClient(values.url, env).keys.rotate(onlyKeyId(positionals), rotation), print);
};

export const keys: Command = {
  help: `Usage: granary keys <list|create|revoke|rotate> [options]

  granary keys list
  granary keys create --name <text> --scope <scope>...   scopes: ${SCOPES.join(', ')}
      --facility <name>   the key sees only this facility; may be repeated
      --device <id>       the key sees only this device; may be repeated
      --expires <time>    ISO 8601, e.g. 2027-01-31T00:00:00Z
  granary keys revoke <key_id>
  granary keys rotate <key_id>
      --overlap <seconds>   how long the old key goes on working (3600)

${ACCESS_HELP}`,
  run: (args, environment) => runAction('keys', { list, create, revoke, rotate }, args, environment),
};

function showOnce({ key_id, key }: IssuedKey, print: (line: string) => void): void {
  print(`${key}\n\nThis is ${key_id}. The key is shown this once; keep it safe.`);
}

function asScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined)
    throw new UsageError(`--scope: there is no "${text}"; there are ${SCOPES.join(', ')}`);
  return scope;
}

function onlyKeyId([keyId, ...rest]: readonly string[]): string {
  if (rest.length > 0) throw new UsageError('one key at a time');
  return required(keyId, 'the key id');
}
