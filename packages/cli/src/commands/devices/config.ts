import type { Client } from '@granary/client';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { findDevice } from '../../access/find-device.ts';
import { type AccessValues, accessClient, asActor } from '../../access/service-access.ts';
import type { Define, Environment } from '../../program/environment.ts';
import { UsageError } from '../../program/explain.ts';
import { readDocument, withAccess, withExamples } from '../../program/options.ts';
import { outputOf } from '../../terminal/output.ts';

interface SetValues extends AccessValues {
  readonly file?: string;
  readonly ifMatch?: string;
}

type Tree = { readonly [name: string]: unknown };

interface Versioned {
  readonly configuration: object;
  readonly etag: string | null;
}

/** The configuration endpoints of either group; the service checks the fields of each. */
interface Api {
  get(deviceId: string): Promise<Versioned>;
  update(deviceId: string, patch: object, options: object): Promise<Versioned>;
}

export const config: Define = (command, environment) => {
  command.description('Shows and changes the configuration of a device: thresholds, limits, rules, motion.');
  defineGet(command.command('get').summary('show it, or a part of it'), environment);
  defineSet(command.command('set').summary('change any part of it'), environment);
  withExamples(
    command,
    'granary config get silo-01',
    'granary config get silo-01 thresholds.low_level',
    'granary config set silo-01 thresholds.low_level=25',
  );
};

function defineGet(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .argument('[path]', 'a part, such as thresholds.low_level')
    .description('Shows the configuration of a device, as YAML or with --json.');
  withExamples(command, 'granary config get silo-01', 'granary config get rover-01 motion --json');
  withAccess(command).action(async (deviceId: string, path: string | undefined, values: AccessValues) => {
    const { configuration } = await (await apiOf(values, environment, deviceId)).get(deviceId);
    const part = path === undefined ? configuration : partAt(configuration, path);
    outputOf(environment, values.json).one(part, () => stringify(part).trimEnd());
  });
}

function defineSet(command: Command, environment: Environment): void {
  command
    .argument('<device_id>')
    .argument('[path=value...]', 'such as thresholds.low_level=25; a value is JSON, or else a text')
    .description(
      'Changes the parts that are named and sends them to the device. A change that somebody else made meanwhile is not overwritten: then the exit code is 3.',
    )
    .option('--file <file>', 'the parts as JSON or YAML, or - for the standard input')
    .option('--if-match <version>', 'only if it still has this version (the one that was read just before)');
  withExamples(
    command,
    'granary config set silo-01 thresholds.low_level=25 thresholds.critical_level=10',
    'granary config set silo-01 --file thresholds.yaml',
  );
  withAccess(command).action(async (deviceId: string, assignments: readonly string[], values: SetValues) => {
    if ((values.file === undefined) === (assignments.length === 0))
      throw new UsageError('name parts with their values, or a file', { cure: 'Exactly one of them.' });
    const patch =
      values.file === undefined
        ? assignedParts(assignments)
        : await readDocument(values.file, environment, `granary config get ${deviceId}`);
    const api = await apiOf(values, environment, deviceId);
    const before = await api.get(deviceId);
    const version = values.ifMatch === undefined ? before.etag : quoted(values.ifMatch);
    const options = { ...asActor(environment.env), ...(version === null ? {} : { ifMatch: version }) };
    const after = await api.update(deviceId, patch, options);
    const changes = changesOf(before.configuration, after.configuration);
    outputOf(environment, values.json).one(after.configuration, () =>
      changes.length === 0 ? `${deviceId} is configured like that already.` : changes.join('\n'),
    );
  });
}

async function apiOf(values: AccessValues, { env }: Environment, deviceId: string): Promise<Api> {
  const client = accessClient(values, env);
  const { group } = await findDevice(client, deviceId);
  return apisOf(client)[group];
}

const apisOf = ({ configuration: { silo, field } }: Client): Readonly<Record<DeviceGroup, Api>> => ({
  silo,
  field,
});

/** Adds quotes to a version, which is shown without them and may be given without them. */
const quoted = (version: string): string => (version.startsWith('"') ? version : `"${version}"`);

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function partAt(configuration: object, path: string): unknown {
  let part: unknown = configuration;
  let before = 'the configuration';
  for (const name of path.split('.')) {
    const names = isTree(part) ? Object.keys(part) : [];
    if (!isTree(part) || !Object.hasOwn(part, name)) {
      throw new UsageError(`${before} has no "${name}"`, {
        ...(names.length === 0 ? {} : { cure: `There are ${names.join(', ')}.` }),
      });
    }
    part = part[name];
    before = name;
  }
  return part;
}

/** An object with only the named parts. */
export const assignedParts = (assignments: readonly string[]): object =>
  assignments.map(partOf).reduce((patch: object, part) => merged(patch, part) as object, {});

function partOf(assignment: string): object {
  const [, path, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (path === undefined || text === undefined)
    throw new UsageError(`"${assignment}" is not path=value`, {
      cure: 'Such as thresholds.low_level=25; granary config get shows the paths.',
    });
  return path.split('.').reduceRight((value: unknown, name) => ({ [name]: value }), parsed(text)) as object;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function merged(one: unknown, other: unknown): unknown {
  if (!isTree(one) || !isTree(other)) return other;
  const added = Object.entries(other).map(([name, value]) => [name, merged(one[name], value)]);
  return { ...one, ...Object.fromEntries(added) };
}

/** The differences between two values, one line for each. */
function changesOf(before: unknown, after: unknown, path = ''): string[] {
  if (!isTree(before) || !isTree(after)) {
    const [old, now] = [JSON.stringify(before) ?? 'not set', JSON.stringify(after) ?? 'not set'];
    return old === now ? [] : [`${path}: ${old} → ${now}`];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) =>
    changesOf(before[name], after[name], path === '' ? name : `${path}.${name}`),
  );
}
